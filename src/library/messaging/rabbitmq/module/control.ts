// Calling rabbitmqctl and rabbitmq-plugins, and reading the tables they print, whose heading depends on the version.
import { type Dict, SaltError, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export type Given = Readonly<Record<string, Value>>

const failure = (said: Value): SaltError =>
  new SaltError('CommandExecutionError', `RabbitMQ command failed: ${str(said)}`)

async function programPath(ctx: FunctionContext, name: string): Promise<string> {
  const path = await ctx.host.which(name)
  if (path === undefined) throw new SaltError('CommandExecutionError', `The program ${name} was not found`)
  return path
}

interface Way {
  program?: 'rabbitmqctl' | 'rabbitmq-plugins'
  /** The words hold a password. */
  quiet?: boolean
}

/** The answer of cmd.run_all. */
export async function call(ctx: FunctionContext, given: Given, words: readonly Value[], way: Way = {}): Promise<Dict> {
  const { program = 'rabbitmqctl', quiet = false } = way
  const { uid } = await ctx.host.identity()
  const runas = given['runas'] ?? (await ctx.host.user(uid))?.name ?? null
  const argv = [await programPath(ctx, program), ...words.map((word) => str(word))]
  return ctx.call('cmd.run_all', [argv], {
    reset_system_locale: false,
    python_shell: false,
    runas,
    ...(quiet && { output_loglevel: 'quiet' }),
  })
}

/** What it printed; an exit code or a word of complaint is a failure. */
export async function output(
  ctx: FunctionContext,
  given: Given,
  words: readonly Value[],
  way: Way = {},
): Promise<string> {
  const answer = await call(ctx, given, words, way)
  if (answer.get('retcode') !== 0 || str(answer.get('stderr') ?? '') !== '') throw failure(answer.get('stderr') ?? '')
  return str(answer.get('stdout') ?? '')
}

/** A line that is content: no heading, no farewell, no warning. */
function isContent(line: string): boolean {
  const heading = line.startsWith('Listing') && (line.endsWith('...') || !line.includes('\t'))
  return line !== '' && !heading && !line.includes('...done') && !line.startsWith('WARNING:')
}

export const contentLines = (text: string): string[] => splitLines(text).filter(isContent)

export const contentWords = (text: string): string[] => contentLines(text).flatMap((line) => splitWords(line))

/** The first column of each line, with what follows it; a line of one column has an empty text. */
export function table(text: string, shape: (rest: string) => Value = (rest) => rest.split('\t')): Dict {
  const found: Dict = new Map()
  for (const line of contentLines(text)) {
    const tab = line.indexOf('\t')
    if (tab < 0) found.set(line, '')
    else found.set(line.slice(0, tab), shape(line.slice(tab + 1)))
  }
  return found
}
