// `--askpass`: prompts first for the login password, so that it is in no command line.
import type { CommandLine } from '../command-lines.ts'
import { ProgramExit } from '../optparse/exit.ts'
import type { Asking } from '../questions.ts'
import type { Streams } from '../streams.ts'

export async function askPassword({ values, given }: CommandLine, questions: Asking, streams: Streams): Promise<void> {
  if (values.get('ssh_askpass') !== true) return
  if (!questions.isTerminal) streams.err('Warning: Password input may be echoed.\n')
  const password = await questions.ask({ say: streams.err, text: 'Password: ', isSecret: true })
  if (!questions.isTerminal) streams.err('\n')
  if (password === undefined) {
    throw new ProgramExit(1, { stderr: 'salt-ssh: error: standard input ended before a password came\n' })
  }
  values.set('ssh_passwd', password)
  given.add('ssh_passwd')
}
