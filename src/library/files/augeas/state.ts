// Changes of configuration files with Augeas.
import { posix } from 'node:path'
import { isList, PyError, splitLines, str, unifiedDiff } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
  textAt,
} from '../../../sdk/mod.ts'
import { parseAugeasCommand } from './augeas-command.ts'

/** Return the file that commands without a context change. */
async function fileOf(ctx: StateContext, commands: readonly string[]): Promise<string | null> {
  let file: string | undefined
  for (const command of commands) {
    const { method, parts } = parseAugeasCommand(command)
    const path = method === 'insert' ? parts[2] : parts[0]
    if (path === undefined) {
      throw new PyError('ValueError', `Invalid formatted command, see debug log for details: ${command}`)
    }
    if (!path.startsWith('/files')) {
      const rule = 'Changes should be prefixed with /files if no context is provided'
      throw new PyError('ValueError', `${rule}, change: ${command}`)
    }
    const target = path.replaceAll(/^\/files|\/$/g, '')
    if (file !== undefined && file !== target) {
      const rule = 'Changes should be made to one file at a time'
      throw new PyError('ValueError', `${rule}, detected changes to ${file} and ${target}`)
    }
    file = target
  }
  let path = file ?? '/'
  while (path !== '/' && (await ctx.host.stat(path))?.type !== 'file') path = posix.dirname(path)
  return path === '/' ? null : path
}

const changeArgs = {
  name: arg.text('Name of the state'),
  context: arg.text('Path that the commands are relative to, such as `/files/etc/hosts`', { optional: true }),
  changes: arg.any('Commands (`set`, `setm`, `mv`, `ins` or `rm`) with their arguments: a list', { optional: true }),
  lens: arg.text('Lens of the file of the context', { optional: true }),
  load_path: arg.any('Directories of further lenses: a list', { optional: true }),
  kwargs: arg.ignored(),
}

async function change(ctx: StateContext, request: Bound<typeof changeArgs>): Promise<StateReturn> {
  const { name, context, lens } = request
  const ret = reportOn(name)
  if (!isList(request.changes) || request.changes.length === 0)
    return ret(false, "'changes' must be specified as a list")
  if (request.load_path !== null && !isList(request.load_path))
    return ret(false, "'load_path' must be specified as a list")
  const load_path = isList(request.load_path) ? request.load_path.map(str).join(':') : null
  const commands = request.changes.map(str)
  let file: string | null
  try {
    file = context === null ? await fileOf(ctx, commands) : context.replaceAll(/^\/files|\/$/g, '')
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return ret(false, `Error: ${error.message}`)
  }
  if (ctx.test) {
    const where = context ? ` in file "${context}":\n` : ''
    return ret(true, `Executing commands${where}${commands.join('\n')}`)
  }
  const linesOf = async (): Promise<string[] | undefined> => {
    const text = file === null ? undefined : await textAt(ctx.host, file)
    return text === undefined ? undefined : splitLines(text, true)
  }
  const before = await linesOf()
  const answer = await ctx.call('augeas.execute', [], { context, lens, commands, load_path })
  if (answer.get('retval') === false) return ret(false, `Error: ${str(answer.get('error') ?? '')}`)
  const after = await linesOf()
  if (after === undefined) return ret(true, 'Changes have been saved', { updates: commands })
  const diff = [...unifiedDiff(before ?? [], after, { context: 0 })].join('')
  return diff === '' ? ret(true, 'No changes made') : ret(true, 'Changes have been saved', { diff })
}

export default defineState({
  name: 'augeas',
  doc: 'Change configuration files with Augeas.',
  when: async ({ host }) => (await host.which('augtool')) !== undefined || 'augeas module could not be loaded',
  functions: {
    change: state({
      doc: 'Ensure that commands of Augeas have been run on a file.',
      args: changeArgs,
      run: change,
    }),
  },
})
