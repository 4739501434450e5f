// How a command line ends a program before it did anything.

export const EX_USAGE = 64

/** The command line makes no sense: programs print it after their usage and exit with EX_USAGE. */
export class UsageError extends Error {}

/** Nothing is wrong, or the program has its own way to say it: print this and exit with that status. */
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
