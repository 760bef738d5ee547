from bellek.api import Hearing as Hearing
from bellek.api import Memory as Memory
from bellek.api import Packet as Packet
from bellek.api import open as open  # noqa: A004  `bellek.open` is how it is said
from bellek.schemas.spoken import Message as Message

__version__: str
