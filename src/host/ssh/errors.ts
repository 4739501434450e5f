// Failures of an SSH connection. The text of ssh itself is kept, because users know it and search for it.
import { BrineError } from '../../base/mod.ts'

export type SshErrorCode =
  | 'HostKeyUnknown'
  | 'HostKeyChanged'
  | 'LoginRefused'
  | 'Unreachable'
  | 'BecomeRefused'
  | 'NoShell'
  | 'ConnectionLost'

/** Exit status of ssh when the connection fails. */
const CONNECTION_FAILED = 255

export class SshError extends BrineError<SshErrorCode> {
  /** Stderr of ssh itself, or of the program on the target. */
  readonly said: string
  readonly retcode: number

  constructor(code: SshErrorCode, message: string, said: string, retcode: number = CONNECTION_FAILED) {
    super(code, message)
    this.name = 'SshError'
    this.said = said
    this.retcode = retcode
  }
}

export function isSshError(error: unknown, ...codes: SshErrorCode[]): error is SshError {
  return error instanceof SshError && (codes.length === 0 || codes.includes(error.code))
}

/** OpenSSH's messages about a failed connection, the most specific first. */
const SIGNS: ReadonlyArray<readonly [RegExp, SshErrorCode, string]> = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/, 'HostKeyChanged', 'The host key differs from the known one'],
  [
    /The authenticity of host|Host key verification failed|host key is known/,
    'HostKeyUnknown',
    'The host key is not known',
  ],
  [
    /Permission denied \(|Too many authentication failures|No more authentication methods/i,
    'LoginRefused',
    'The login is refused',
  ],
]

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''

/** The failure that ssh ended with before anything ran on the target. */
export function connectionError(host: string, said: string, retcode: number): SshError {
  for (const [sign, code, message] of SIGNS) {
    if (sign.test(said)) return new SshError(code, `${message}: ${host}`, said, retcode)
  }
  const reason = lastLine(said) || `ssh ended with ${retcode}`
  return new SshError('Unreachable', `Could not connect to ${host}: ${reason}`, said, retcode)
}

/** Whether ssh lost a connection that a proxy or jump host should have made: it then knows no address. */
export const isProxyFailure = (said: string): boolean => /UNKNOWN port 65535/.test(said)

/** The failure of a login that worked, on a target where our shell did not start. */
export function shellError(host: string, said: string, retcode: number): SshError {
  const isWindows = /is not recognized as|CommandNotFoundException|Microsoft Windows/i.test(said)
  const reason = isWindows ? 'it runs Windows' : lastLine(said) || `the login shell ended with ${retcode}`
  return new SshError('NoShell', `No POSIX shell can be started on ${host}: ${reason}`, said, retcode)
}

export function lostError(host: string, said: string, retcode: number = CONNECTION_FAILED): SshError {
  const reason = lastLine(said)
  return new SshError(
    'ConnectionLost',
    `The connection to ${host} was lost${reason ? `: ${reason}` : ''}`,
    said,
    retcode,
  )
}
