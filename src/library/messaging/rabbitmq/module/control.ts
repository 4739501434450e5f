// The programs rabbitmqctl and rabbitmq-plugins, and the tables in their output. The heading depends on the version.
import { type Dict, failure, type SaltError, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, oneLine } from '../../../../sdk/mod.ts'

/** The system user that runs the program; None for the user of the minion. */
export type RunAs = string | null

const commandFailure = (said: Value): SaltError => failure(`RabbitMQ command failed: ${str(said)}`)

async function programPath(ctx: FunctionContext, name: string): Promise<string> {
  const path = await ctx.host.which(name)
  if (path === undefined) throw failure(`The program ${name} was not found`)
  return path
}

interface CallOptions {
  program?: 'rabbitmqctl' | 'rabbitmq-plugins'
  /** A password, which the program reads from its input: lists of processes show its words. */
  password?: string
}

/** Run the program; return the result of cmd.run_all. */
export async function call(
  ctx: FunctionContext,
  runas: RunAs,
  words: readonly Value[],
  options: CallOptions = {},
): Promise<Dict> {
  const { program = 'rabbitmqctl', password } = options
  const { uid } = await ctx.host.identity()
  const user = runas ?? (await ctx.host.user(uid))?.name ?? null
  const argv = [await programPath(ctx, program), ...words.map(str)]
  return ctx.call('cmd.run_all', [argv], {
    reset_system_locale: false,
    python_shell: false,
    runas: user,
    ...(password !== undefined && { stdin: `${oneLine('A password', password)}\n`, stdin_raw_newlines: true }),
  })
}

/** Run the program, and return its output; an exit code or an error message is a failure. */
export async function output(
  ctx: FunctionContext,
  runas: RunAs,
  words: readonly Value[],
  options: CallOptions = {},
): Promise<string> {
  const answer = await call(ctx, runas, words, options)
  if (answer.get('retcode') !== 0 || str(answer.get('stderr') ?? '') !== '')
    throw commandFailure(answer.get('stderr') ?? '')
  const printed = str(answer.get('stdout') ?? '')
  return options.password === undefined ? printed : printed.replace(/\n?Password: *(?=\n|$)/, '')
}

/** Return whether a line is content: no heading, closing line or warning. */
function isContent(line: string): boolean {
  const heading = line.startsWith('Listing') && (line.endsWith('...') || !line.includes('\t'))
  return line !== '' && !heading && !line.includes('...done') && !line.startsWith('WARNING:')
}

export const contentLines = (text: string): string[] => splitLines(text).filter(isContent)

export const contentWords = (text: string): string[] => contentLines(text).flatMap((line) => splitWords(line))

/** Return the rest of each line by its first column; a line of one column has an empty text. */
export function table(text: string, shape: (rest: string) => Value = (rest) => rest.split('\t')): Dict {
  const found: Dict = new Map()
  for (const line of contentLines(text)) {
    const tab = line.indexOf('\t')
    if (tab < 0) found.set(line, '')
    else found.set(line.slice(0, tab), shape(line.slice(tab + 1)))
  }
  return found
}
