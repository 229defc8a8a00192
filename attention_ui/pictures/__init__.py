"""Settings in, pictures out: each function joins a figure with its alt text, table and program.

Every function here is pure in its arguments; `attention_ui.show` keeps what it returns for each setting.
"""
