// Snap packages, through the snap command.
import { type Dict, failure, isDict, misuse, splitLines, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  deserialize,
  type FunctionContext,
  operand,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const RISKS = ['stable', 'candidate', 'beta', 'edge']
const PLAIN = ['--unicode=never', '--color=never']

/** Return a valid name of a snap; one that begins with a hyphen would be an option. */
const snapName = (name: string): string => operand('A snap name', name)

async function snap(ctx: FunctionContext, words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const outcome = await runAll(ctx, ['snap', ...words])
  if (outcome.retcode !== 0) throw failure(`Running snap failed: ${outcome.stderr || outcome.stdout}`)
  return outcome
}

/** Parse a table with a heading, and return its rows by the first column. */
function rows(output: string, columns: readonly string[]): Map<string, Map<string, Value>> {
  const found = new Map<string, Map<string, Value>>()
  for (const line of splitLines(output).slice(1)) {
    const words = line.trim().split(/\s+/)
    if (words.length < columns.length) continue
    const facts = new Map<string, Value>(columns.map((column, i) => [column, words[i]!]))
    const notes = str(facts.get('notes') ?? '-')
    facts.set('notes', notes === '-' ? [] : notes.split(','))
    found.set(words[0]!, facts)
  }
  return found
}

const COLUMNS = ['name', 'version', 'revision', 'channel', 'publisher', 'notes']

async function list(ctx: FunctionContext, name: Value, revisions: boolean): Promise<Dict> {
  const names = name === null ? [] : (Array.isArray(name) ? name : [name]).map((one) => snapName(str(one)))
  const outcome = await runAll(ctx, ['snap', 'list', ...PLAIN, ...(revisions ? ['--all'] : []), ...names], {
    ignore_retcode: true,
  })
  const found: Dict = new Map()
  for (const [key, facts] of outcome.retcode === 0 ? rows(outcome.stdout, COLUMNS) : []) {
    const notes = facts.get('notes') as string[]
    const marks: Record<string, boolean> = {
      classic: notes.includes('classic'),
      enabled: !notes.includes('disabled'),
      held: notes.includes('held'),
    }
    found.set(key, new Map<Value, Value>([...facts, ...Object.entries(marks)]))
  }
  return found
}

async function fact(ctx: FunctionContext, name: string, key: string): Promise<boolean> {
  const facts = (await list(ctx, name, false)).get(name) ?? null
  if (!isDict(facts)) throw failure(`snap "${name}" is not installed`)
  return facts.get(key) === true
}

function channelWords(channel: string | null): string[] {
  if (!channel) return []
  const parts = channel.split('/')
  if (parts.length > 3) {
    throw misuse(`Invalid channel name '${channel}', must follow <track>/<risk_level>[/<branch>]`)
  }
  const risk = parts.length > 1 ? parts[1]! : RISKS.includes(parts[0]!) ? parts[0]! : 'stable'
  if (!RISKS.includes(risk)) throw misuse(`Invalid channel risk level '${risk}', valid: ${RISKS.join(', ')}`)
  return ['--channel', channel]
}

interface Installation {
  name: string
  channel: string | null
  revision: string | null
  classic: boolean
  refresh: boolean
}

const revisionWords = (revision: string | null): string[] => (revision === null ? [] : ['--revision', revision])

async function install(ctx: FunctionContext, call: Installation): Promise<true> {
  const { refresh } = call
  const words = [
    refresh ? 'refresh' : 'install',
    ...PLAIN,
    ...channelWords(call.channel),
    ...revisionWords(call.revision),
  ]
  const { stderr } = await snap(ctx, [...words, ...(call.classic ? ['--classic'] : []), snapName(call.name)])
  if (!refresh && stderr.includes('is already installed')) throw failure(stderr)
  return true
}

async function upgrades(ctx: FunctionContext, excludeHeld: boolean): Promise<Dict> {
  const found: Dict = new Map()
  const columns = ['name', 'version', 'revision', 'size', 'publisher', 'notes']
  const { stdout } = await snap(ctx, ['refresh', ...PLAIN, '--list'])
  const installed = excludeHeld ? await list(ctx, null, false) : new Map()
  for (const [name, facts] of rows(stdout, columns)) {
    const mine = installed.get(name) as Dict | undefined
    if (mine?.get('held') !== true) found.set(name, new Map<Value, Value>(facts))
  }
  return found
}

const name = arg.text('Snap name')
const channel = arg.text('Channel, `<track>/<risk>[/<branch>]`', { optional: true })
const revision = arg.text('Revision', { optional: true })
const classic = arg.flag('Use classic confinement, with access to the whole machine', { default: false })

/** Declare a function that is one command of snap about one snap. */
const command = (doc: string, verb: string, words: readonly string[]) =>
  changes({
    doc,
    args: { name },
    returns: ret.boolean('True'),
    example: `snap.${verb} hello-world`,
    run: async (ctx, given) => {
      await snap(ctx, [...words, snapName(given.name)])
      return true
    },
  })

/** Declare a function that returns whether a snap has a property. */
const asking = (doc: string, verb: string, key: string) =>
  reads({
    doc,
    args: { name },
    returns: ret.boolean('Whether it is'),
    example: `snap.${verb} hello-world`,
    run: (ctx, given) => fact(ctx, given.name, key),
  })

export default defineModule({
  name: 'snap',
  doc: 'Manage snap packages.',
  when: async ({ host }) => (await host.which('snap')) !== undefined || 'Missing `snap` command in PATH',
  functions: {
    install: changes({
      doc: 'Install a snap.',
      args: {
        name,
        channel,
        revision,
        classic,
        refresh: arg.flag('Refresh an installed snap', { default: false }),
      },
      returns: ret.boolean('True'),
      example: 'snap.install hello-world',
      run: install,
    }),
    refresh: changes({
      doc: 'Refresh a snap to its newest revision, or switch its channel.',
      args: { name, channel, revision, classic },
      returns: ret.boolean('True'),
      example: 'snap.refresh hello-world',
      run: (ctx, call) => install(ctx, { ...call, refresh: true }),
    }),
    remove: changes({
      doc: 'Remove a snap.',
      args: { name, revision, purge: arg.flag('Do not keep a snapshot of the data', { default: false }) },
      returns: ret.boolean('True'),
      example: 'snap.remove hello-world',
      run: async (ctx, given) => {
        await snap(ctx, [
          'remove',
          ...(given.purge ? ['--purge'] : []),
          ...revisionWords(given.revision),
          snapName(given.name),
        ])
        return true
      },
    }),
    purge: command('Remove a snap and its data.', 'purge', ['remove', '--purge']),
    enable: command('Enable a snap.', 'enable', ['enable']),
    disable: command('Disable a snap.', 'disable', ['disable']),
    hold: changes({
      doc: 'Hold a snap, so that general refreshes leave it out.',
      args: { name, duration: arg.text('Duration such as `24h`; default: forever', { optional: true }) },
      returns: ret.boolean('True'),
      example: 'snap.hold hello-world',
      run: async (ctx, given) => {
        const word = given.duration ? `--hold=${given.duration}` : '--hold'
        await snap(ctx, ['refresh', word, snapName(given.name)])
        return true
      },
    }),
    unhold: command('Release a held snap.', 'unhold', ['refresh', '--unhold']),
    is_enabled: asking('Return whether a snap is enabled.', 'is_enabled', 'enabled'),
    is_held: asking('Return whether a snap is held.', 'is_held', 'held'),
    is_installed: reads({
      doc: 'Return whether a snap is installed.',
      args: { name },
      returns: ret.boolean('Whether it is'),
      example: 'snap.is_installed hello-world',
      run: async (ctx, given) => (await list(ctx, given.name, true)).size > 0,
    }),
    list: reads({
      doc: 'List the installed snaps.',
      args: {
        name: arg.any('Snap name, or a list of names; default: all snaps', { optional: true }),
        revisions: arg.flag('List all revisions', { default: false }),
      },
      returns: ret.dict('Facts by snap name'),
      calledAs: 'list_',
      run: (ctx, given) => list(ctx, given.name, given.revisions),
    }),
    list_upgrades: reads({
      doc: 'List the snaps with a newer revision.',
      args: { exclude_held: arg.flag('Leave out held snaps', { default: false }) },
      returns: ret.dict('Facts by snap name'),
      run: (ctx, { exclude_held }) => upgrades(ctx, exclude_held),
    }),
    upgrade_all: changes({
      doc: 'Refresh all snaps to their newest revision.',
      returns: ret.boolean('True'),
      run: async (ctx) => {
        await snap(ctx, ['refresh', ...PLAIN])
        return true
      },
    }),
    info: reads({
      doc: 'Return the facts about a snap, installed or not.',
      args: { name, verbose: arg.flag('Return more facts', { default: false }) },
      returns: ret.dict('Facts'),
      example: 'snap.info hello-world',
      run: async (ctx, given) => {
        const { stdout } = await snap(ctx, [
          'info',
          ...PLAIN,
          ...(given.verbose ? ['--verbose'] : []),
          snapName(given.name),
        ])
        return (await deserialize('yaml', stdout)) as Dict
      },
    }),
  },
})
