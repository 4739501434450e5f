// Errors of the target's tools, by their text. Tools print the system's text for an error number, and shells some of
// their own.
import { HostError, type SystemErrorCode, systemError } from '../errors.ts'
import type { AgentAnswer } from './agent.ts'

/** By the texts of strerror in glibc, musl and BSD, and of shells. The first match counts. */
const SIGNS: ReadonlyArray<readonly [RegExp, SystemErrorCode]> = [
  [/No such file or directory/, 'ENOENT'],
  [/Not a directory/, 'ENOTDIR'],
  [/Permission denied/, 'EACCES'],
  [/Operation not permitted/, 'EPERM'],
  [/File exists|cannot overwrite existing file/, 'EEXIST'],
  [/Is a directory|cannot overwrite directory|Is directory/, 'EISDIR'],
  [/cannot overwrite non-directory/, 'ENOTDIR'],
  [/Directory not empty/, 'ENOTEMPTY'],
  [/Read-only file system/, 'EROFS'],
  [/No space left on device|Disk quota exceeded/, 'ENOSPC'],
  [/Too many levels of symbolic links|Symbolic link loop/, 'ELOOP'],
  [/File name too long|Filename too long/, 'ENAMETOOLONG'],
  [/Device or resource busy|Resource busy/, 'EBUSY'],
  [/Text file busy/, 'ETXTBSY'],
  [/Cross-device link|cross-device link/, 'EXDEV'],
  [/Too many links/, 'EMLINK'],
  [/Too many open files/, 'EMFILE'],
  [/File too large/, 'EFBIG'],
  [/Cannot allocate memory|Out of memory|Cannot fork|can't fork/, 'ENOMEM'],
  [/Argument list too long/, 'E2BIG'],
  [/Exec format error/, 'ENOEXEC'],
  [/Operation not supported|Not supported/, 'ENOTSUP'],
  [/Broken pipe/, 'EPIPE'],
  [/Invalid argument/, 'EINVAL'],
  [/nonexistent|No such file|[Nn]ot found/, 'ENOENT'],
]

/** Return the error in an answer about one or two paths. */
export function toolError(
  { stderr, status }: Pick<AgentAnswer, 'stderr' | 'status'>,
  path?: string,
  other?: string,
): HostError {
  const text = stderr.toString()
  const own = /!(E[A-Z0-9]+)/.exec(text)?.[1] as SystemErrorCode | undefined
  const code = own ?? SIGNS.find(([sign]) => sign.test(text))?.[1]
  if (code !== undefined) return systemError(code, path, other)
  const reason = text.trim() || `a command on the target ended with ${status}`
  return new HostError('EIO', path === undefined ? reason : `${reason}: '${path}'`)
}
