"""Answer -> text or a picture. Nothing here imports lldb."""
