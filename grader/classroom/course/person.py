"""A student as a learning management system knows them."""

import msgspec


class Person(msgspec.Struct, frozen=True):
    """Whatever a download, a roster or a gradebook says of one student; "" where it does not say.
    Texts are as the file has them: hostile until they go through model/plain_text.py."""

    name: str = ""
    email: str = ""
    login: str = ""  # what the student signs in with
    sis: str = ""  # the number that the school's own system gives
    lms: str = ""  # the number that the learning management system gives

    def identifiers(self) -> tuple[str, ...]:
        """What can tell this student from others, strongest first; the name is the weakest."""
        return tuple(each for each in (self.lms, self.sis, self.login, self.email) if each)
