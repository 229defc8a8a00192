"""The Streamlit side of Attention Lab: settings, controls, figures and the components that draw them."""
