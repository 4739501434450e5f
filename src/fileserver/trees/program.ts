// Runs the programs svn and hg: with a controlled environment, without prompts, and without a login among their
// arguments.
import { BrineError } from '../../base/mod.ts'
import { userVariables } from '../../git/mod.ts'
import { LocalHost } from '../../host/mod.ts'

export type TreeErrorCode =
  /** The address cannot be one of a repository, or must not be used. */
  | 'AddressRefused'
  /** The program is missing, or it failed; the message is its own. */
  | 'ProgramFailed'
  /** The repository has names or answers that cannot be served. */
  | 'AnswerRefused'

export class TreeError extends BrineError<TreeErrorCode> {}

export interface ProgramCall {
  argv: readonly string[]
  cwd: string
  /** Environment variables in addition to the user's. */
  env?: Readonly<Record<string, string>>
  stdin?: string
  /** Texts that no message may show. */
  secrets?: readonly string[]
}

/** The host of this process: a remote outlives the job that first requests it. */
const machine = new LocalHost()

const SECONDS = 3600
const MOST_OUTPUT = 64 << 20

/** Files keep their modes from the repository; the folder above them is closed. */
const UMASK = 0o022

/** Return the standard output of a program. */
export async function runTreeProgram({ argv, cwd, env = {}, stdin = '', secrets = [] }: ProgramCall): Promise<string> {
  const [program = ''] = argv
  const variables = userVariables().set('LC_ALL', 'C.UTF-8')
  for (const [name, value] of Object.entries(env)) variables.set(name, value)
  const result = await machine
    .run({ argv, cwd, cleanEnv: true, env: variables, stdin, umask: UMASK, timeout: SECONDS, maxOutput: MOST_OUTPUT })
    .catch((error: Error) => {
      throw new TreeError('ProgramFailed', `Cannot run ${program}: ${error.message}`, {
        cause: error,
        hint: `Install ${program} on this machine`,
      })
    })
  if (result.timedOut) throw new TreeError('ProgramFailed', `${program} did not end within ${SECONDS} seconds`)
  if (result.truncated) throw new TreeError('AnswerRefused', `the answer of ${program} is too long`)
  if (result.retcode === 0) return Buffer.from(result.stdout).toString()
  const said = Buffer.from(result.stderr)
    .toString()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const text = [...new Set(said)].slice(0, 6).join('; ').slice(0, 1000) || `${program} failed without a word`
  const shown = secrets.filter(Boolean).reduce((left, secret) => left.replaceAll(secret, '<redacted>'), text)
  throw new TreeError('ProgramFailed', shown)
}
