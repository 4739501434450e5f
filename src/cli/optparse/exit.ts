// Ways in which a command line ends a program early.

export const EX_USAGE = 64

/** The command line makes no sense: programs print it after their usage and exit with EX_USAGE. */
export class UsageError extends Error {}

/** Print this text and exit with this status, for cases without an error or with a special message. */
export class ProgramExit extends Error {
  readonly status: number
  readonly stdout: string
  readonly stderr: string

  constructor(status: number, { stdout = '', stderr = '' }: { stdout?: string; stderr?: string } = {}) {
    super(stderr || stdout)
    this.status = status
    this.stdout = stdout
    this.stderr = stderr
  }
}
