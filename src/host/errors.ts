// Errors of the machine, with the text and classes of Python's OSError: `[Errno 2] No such file or directory: '/x'`.
import { BrineError, recover } from '../base/mod.ts'
import { quote } from '../data/mod.ts'

const FACTS = {
  EPERM: [1, 'Operation not permitted', 'PermissionError'],
  ENOENT: [2, 'No such file or directory', 'FileNotFoundError'],
  ESRCH: [3, 'No such process', 'ProcessLookupError'],
  EINTR: [4, 'Interrupted system call', 'InterruptedError'],
  EIO: [5, 'Input/output error', 'OSError'],
  E2BIG: [7, 'Argument list too long', 'OSError'],
  ENOEXEC: [8, 'Exec format error', 'OSError'],
  EBADF: [9, 'Bad file descriptor', 'OSError'],
  EAGAIN: [11, 'Resource temporarily unavailable', 'BlockingIOError'],
  ENOMEM: [12, 'Cannot allocate memory', 'OSError'],
  EACCES: [13, 'Permission denied', 'PermissionError'],
  EBUSY: [16, 'Device or resource busy', 'OSError'],
  EEXIST: [17, 'File exists', 'FileExistsError'],
  EXDEV: [18, 'Invalid cross-device link', 'OSError'],
  ENOTDIR: [20, 'Not a directory', 'NotADirectoryError'],
  EISDIR: [21, 'Is a directory', 'IsADirectoryError'],
  EINVAL: [22, 'Invalid argument', 'OSError'],
  EMFILE: [24, 'Too many open files', 'OSError'],
  ETXTBSY: [26, 'Text file busy', 'OSError'],
  EFBIG: [27, 'File too large', 'OSError'],
  ENOSPC: [28, 'No space left on device', 'OSError'],
  EROFS: [30, 'Read-only file system', 'OSError'],
  EMLINK: [31, 'Too many links', 'OSError'],
  EPIPE: [32, 'Broken pipe', 'BrokenPipeError'],
  ENAMETOOLONG: [36, 'File name too long', 'OSError'],
  ENOTEMPTY: [39, 'Directory not empty', 'OSError'],
  ELOOP: [40, 'Too many levels of symbolic links', 'OSError'],
  ENOTSUP: [95, 'Operation not supported', 'OSError'],
  ENETUNREACH: [101, 'Network is unreachable', 'OSError'],
  ECONNRESET: [104, 'Connection reset by peer', 'ConnectionResetError'],
  ETIMEDOUT: [110, 'Connection timed out', 'TimeoutError'],
  ECONNREFUSED: [111, 'Connection refused', 'ConnectionRefusedError'],
  EHOSTUNREACH: [113, 'No route to host', 'OSError'],
  ENOTFOUND: [-2, 'Name or service not known', 'gaierror'],
  EAI_AGAIN: [-3, 'Temporary failure in name resolution', 'gaierror'],
} as const satisfies Record<string, readonly [number, string, string]>

export type SystemErrorCode = keyof typeof FACTS

export type HostErrorCode =
  | SystemErrorCode
  /** A change was requested from a read-only host. */
  | 'ReadOnlyHost'
  /** The user a command should run as does not exist. */
  | 'UserUnknown'
  | 'GroupUnknown'
  /** A simulated machine has no script for a command. */
  | 'CommandUnknown'

export class HostError extends BrineError<HostErrorCode> {
  /** The system's errno, or 0. */
  readonly errno: number

  constructor(code: HostErrorCode, message: string, cause?: unknown) {
    super(code, message, { cause })
    const facts = isSystemErrorCode(code) ? FACTS[code] : undefined
    this.errno = facts?.[0] ?? 0
    this.name = facts?.[2] ?? 'HostError'
  }
}

function isSystemErrorCode(code: string): code is SystemErrorCode {
  return Object.hasOwn(FACTS, code)
}

/** The system's refusal, about one path or about two. */
export function systemError(code: SystemErrorCode, path?: string, other?: string, cause?: unknown): HostError {
  const [errno, text] = FACTS[code]
  const about = path === undefined ? '' : `: ${quote(path)}${other === undefined ? '' : ` -> ${quote(other)}`}`
  return new HostError(code, `[Errno ${errno}] ${text}${about}`, cause)
}

/** Convert an error of Node to a HostError; return any other value unchanged. */
export function fromNodeError(error: unknown, path?: string, other?: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = code === 'EOPNOTSUPP' ? 'ENOTSUP' : code
  return isSystemErrorCode(known) ? systemError(known, path, other, error) : error
}

export function isHostError(error: unknown, ...codes: HostErrorCode[]): error is HostError {
  return error instanceof HostError && (codes.length === 0 || codes.includes(error.code))
}

/**
 * Return the result of a read, or `otherwise` if the host refuses it: the file does not exist, or belongs to another
 * user.
 */
export const unlessRefused = <T, U>(look: Promise<T>, otherwise: U): Promise<T | U> =>
  recover(isHostError, otherwise, () => look)
