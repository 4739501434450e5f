// Errors of a Git repository.
import { BrineError } from '../base/mod.ts'

export type GitErrorCode =
  /** The address cannot be one of a repository, or must not be used. */
  | 'AddressRefused'
  /** The server wants a login, and none is configured. */
  | 'LoginNeeded'
  /** The server refused the login. */
  | 'LoginRefused'
  /** The key of the SSH server is not known, or another one. */
  | 'HostKeyRefused'
  /** The server, or the repository on it, cannot be had. */
  | 'Unreachable'
  /** The server did not end in time, or another process has held the mirror for too long. */
  | 'TimedOut'
  /** The git program is not installed, or cannot work in the cache. */
  | 'GitFailed'
  /** An object that the mirror should have is missing, damaged or too large. */
  | 'ObjectUnreadable'

export class GitError extends BrineError<GitErrorCode> {}
