"""Data as text and back."""


class SerializationError(RuntimeError):
    pass


class DeserializationError(RuntimeError):
    pass
