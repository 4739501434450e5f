"""The exceptions of Salt that modules raise and catch."""

import copy


class SaltException(Exception):
    """The base of all of them; keeps its text as `strerror` too."""

    def __init__(self, message=""):
        if not isinstance(message, str):
            message = str(message)
        super().__init__(message)
        self.message = self.strerror = message

    def pack(self):
        return {"message": str(self), "args": self.args}


class SaltClientError(SaltException):
    pass


class SaltMasterError(SaltException):
    pass


class SaltNoMinionsFound(SaltException):
    pass


class SaltSyndicMasterError(SaltException):
    pass


class SaltMasterUnresolvableError(SaltException):
    pass


class MasterExit(SystemExit):
    pass


class AuthenticationError(SaltException):
    pass


class UnsupportedAlgorithm(SaltException):
    pass


class CommandNotFoundError(SaltException):
    pass


class CommandExecutionError(SaltException):
    """A command, or what a module set out to do, failed; `info` may hold more to show."""

    def __init__(self, message="", info=None):
        try:
            text = str(message)
        except Exception:  # an object whose text cannot be had
            text = repr(message)
        self.error = text
        self.info = copy.deepcopy(info)
        self.strerror_without_changes = text
        if self.info:
            begin = text and text + (" " if text[-1] in ".?!" else ". ")
            begin += "Additional info follows:\n\n"
            text = begin + _shown(self.info)
            rest = {key: value for key, value in info.items() if key != "changes"} if isinstance(info, dict) else info
            self.strerror_without_changes = begin + _shown(rest) if rest else self.error
        super().__init__(text)


def _shown(info):
    """As the outputter `nested` shows it, without colours."""
    import pprint
    import re

    import salt.output

    try:
        return re.sub(r"\x1b\[[0-9;]*m", "", salt.output.out_format(info, "nested"))
    except Exception:  # what cannot be shown so must not hide the error
        return pprint.pformat(info)


class LoaderError(SaltException):
    pass


class PublishError(SaltException):
    pass


class MinionError(SaltException):
    pass


class FileserverConfigError(SaltException):
    pass


class FileLockError(SaltException):
    def __init__(self, message, time_start=None, *args, **kwargs):
        super().__init__(message)
        self.time_start = time_start


class GitLockError(SaltException):
    def __init__(self, errno, message, *args, **kwargs):
        super().__init__(message)
        self.errno = errno


class SaltInvocationError(SaltException, TypeError):
    pass


class PkgParseError(SaltException):
    pass


class SaltRenderError(SaltException):
    """A file that cannot be rendered; knows the line."""

    def __init__(self, message, line_num=None, buf="", marker="    <======================", trace=None):
        self.error = message
        self.line_num = line_num
        self.buffer = buf
        if trace:
            message = "{}\n{}".format(message, trace)
        if line_num and buf:
            lines = buf.splitlines()
            shown = [
                text + (marker if number == line_num else "")
                for number, text in enumerate(lines, 1)
                if abs(number - line_num) <= 5
            ]
            message = "{}; line {}\n\n---\n{}\n---".format(message, line_num, "\n".join(shown))
        super().__init__(message)


class SaltReqTimeoutError(SaltException):
    pass


class TimedProcTimeoutError(SaltException):
    pass


class EauthAuthenticationError(SaltException):
    pass


class TokenAuthenticationError(SaltException):
    pass


class AuthorizationError(SaltException):
    pass


class SaltDeserializationError(SaltException):
    pass


class UnsupportedSerializationError(SaltException):
    pass


class SaltRunnerError(SaltException):
    pass


class SaltWheelError(SaltException):
    pass


class SaltConfigurationError(SaltException):
    pass


class SaltSystemExit(SystemExit):
    def __init__(self, code=0, msg=None):
        super().__init__(msg)
        self.code = code


class SaltCacheError(SaltException):
    pass


class TimeoutError(SaltException):
    pass


class ResourceExhausted(SaltException):
    pass


class ArgumentValueError(CommandExecutionError):
    pass


class CheckError(CommandExecutionError):
    pass


class GitRemoteError(SaltException):
    pass


class InvalidConfigError(CommandExecutionError):
    pass


class InvalidEntityError(CommandExecutionError):
    pass


class VMwareSaltError(CommandExecutionError):
    pass


class PasswordError(SaltException):
    pass


class TemplateError(SaltException):
    pass


class NotImplemented(SaltException):
    pass


class SaltDaemonNotRunning(SaltException):
    pass


class SaltKeyringError(SaltException):
    pass


class SaltCloudException(SaltException):
    pass


class SaltCloudSystemExit(SaltCloudException):
    def __init__(self, message, exit_code=1):
        super().__init__(message)
        self.exit_code = exit_code


class SaltCloudConfigError(SaltCloudException):
    pass


class SaltCloudNotFound(SaltCloudException):
    pass


class ProxyConnectError(SaltException):
    pass


# name → bases, of those that are only told apart by their names
_PLAIN = {
    "InvalidKeyError": (SaltException, ValueError),
    "SaltClientTimeout": (SaltException,),
    "TokenExpiredError": (SaltException,),
    "SaltValidationError": (SaltException,),
    "MissingSmb": (SaltException,),
    "NxosError": (SaltException,),
    "LoggingRuntimeError": (RuntimeError,),
    "CodePageError": (CommandExecutionError,),
    "SaltCloudExecutionTimeout": (SaltCloudException,),
    "SaltCloudExecutionFailure": (SaltCloudException,),
    "SaltCloudPasswordError": (SaltCloudException,),
}
for _name, _bases in _PLAIN.items():
    globals()[_name] = type(_name, _bases, {"__module__": __name__})

for _name in ("NxosCliError", "NxosClientError", "NxosRequestNotSupported"):
    globals()[_name] = type(_name, (globals()["NxosError"],), {"__module__": __name__})

for _name in ("Runtime", "Connection", "ObjectRetrieval", "ObjectNotFound", "ObjectExists", "NotFound", "Api", "System",
              "PowerOn", "VmRegister", "VmCreation"):  # fmt: skip
    globals()["VMware{}Error".format(_name)] = type("VMware{}Error".format(_name), (VMwareSaltError,), {"__module__": __name__})


class VMwareMultipleObjectsError(globals()["VMwareObjectRetrievalError"]):
    pass


class VMwareFileNotFoundError(globals()["VMwareApiError"]):
    pass


def get_error_message(error):
    """The text of an exception."""
    return error.args[0] if error.args else ""
