// Snaps, through the snap command.
import { type Dict, isDict, SaltError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, deserialize, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'

const RISKS = ['stable', 'candidate', 'beta', 'edge']
const PLAIN = ['--unicode=never', '--color=never']
const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)
const misuse = (message: string): SaltError => new SaltError('SaltInvocationError', message)

async function snap(ctx: FunctionContext, words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const outcome = await runAll(ctx, ['snap', ...words])
  if (outcome.retcode !== 0) throw failure(`Running snap failed: ${outcome.stderr || outcome.stdout}`)
  return outcome
}

/** Rows of a table with a heading, by the first column. */
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
  const names = name === null ? [] : (Array.isArray(name) ? (name as Value[]) : [name]).map((one) => str(one))
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

async function fact(ctx: FunctionContext, name: Value, key: string): Promise<boolean> {
  const facts = (await list(ctx, name, false)).get(str(name))
  if (!isDict(facts ?? null)) throw failure(`snap "${str(name)}" is not installed`)
  return (facts as Dict).get(key) === true
}

function channelWords(channel: Value): string[] {
  if (!truthy(channel)) return []
  const parts = str(channel).split('/')
  if (parts.length > 3) {
    throw misuse(`Invalid channel name '${str(channel)}', must follow <track>/<risk_level>[/<branch>]`)
  }
  const risk = parts.length > 1 ? parts[1]! : RISKS.includes(parts[0]!) ? parts[0]! : 'stable'
  if (!RISKS.includes(risk)) throw misuse(`Invalid channel risk level '${risk}', valid: ${RISKS.join(', ')}`)
  return ['--channel', str(channel)]
}

interface Installation {
  name: Value
  channel: Value
  revision: Value
  classic: Value
  refresh?: Value
}

async function install(ctx: FunctionContext, call: Installation): Promise<true> {
  const refresh = truthy(call.refresh ?? null)
  const revision = call.revision === null ? [] : ['--revision', str(call.revision)]
  const words = [refresh ? 'refresh' : 'install', ...PLAIN, ...channelWords(call.channel), ...revision]
  const { stderr } = await snap(ctx, [...words, ...(truthy(call.classic) ? ['--classic'] : []), str(call.name)])
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

const name = arg.any('The snap')
const channel = arg.text('The channel', { optional: true })
const revision = arg.text('The revision', { optional: true })
const classic = arg.flag('Whether it may reach the whole machine', { default: false })

/** A function that is one call of snap about one snap. */
const command = (doc: string, verb: string, words: readonly string[]) =>
  changes({
    doc,
    args: { name },
    returns: ret.boolean('True'),
    example: `snap.${verb} hello-world`,
    run: async (ctx, given) => {
      await snap(ctx, [...words, str(given.name)])
      return true
    },
  })

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
  doc: 'Install snaps.',
  when: async ({ host }) => (await host.which('snap')) !== undefined || 'Missing `snap` command in PATH',
  functions: {
    install: changes({
      doc: 'Install a snap.',
      args: {
        name,
        channel,
        revision,
        classic,
        refresh: arg.any('Whether an installed one is changed', { default: false }),
      },
      returns: ret.boolean('True'),
      example: 'snap.install hello-world',
      run: install,
    }),
    refresh: changes({
      doc: 'Bring a snap to its newest revision, or to another channel.',
      args: { name, channel, revision, classic },
      returns: ret.boolean('True'),
      example: 'snap.refresh hello-world',
      run: (ctx, call) => install(ctx, { ...call, refresh: true }),
    }),
    remove: changes({
      doc: 'Remove a snap.',
      args: { name, revision, purge: arg.flag('Whether no snapshot of its data is kept', { default: false }) },
      returns: ret.boolean('True'),
      example: 'snap.remove hello-world',
      run: async (ctx, given) => {
        const one = given.revision === null ? [] : ['--revision', given.revision]
        await snap(ctx, ['remove', ...(given.purge ? ['--purge'] : []), ...one, str(given.name)])
        return true
      },
    }),
    purge: command('Remove a snap and its data.', 'purge', ['remove', '--purge']),
    enable: command('Switch a snap on.', 'enable', ['enable']),
    disable: command('Switch a snap off.', 'disable', ['disable']),
    hold: changes({
      doc: 'Leave a snap out of general refreshes.',
      args: { name, duration: arg.text('How long', { optional: true }) },
      returns: ret.boolean('True'),
      example: 'snap.hold hello-world',
      run: async (ctx, given) => {
        const word = given.duration ? `--hold=${given.duration}` : '--hold'
        await snap(ctx, ['refresh', word, str(given.name)])
        return true
      },
    }),
    unhold: command('Let a held snap go.', 'unhold', ['refresh', '--unhold']),
    is_enabled: asking('Whether a snap is switched on.', 'is_enabled', 'enabled'),
    is_held: asking('Whether a snap is held.', 'is_held', 'held'),
    is_installed: reads({
      doc: 'Whether a snap is installed.',
      args: { name },
      returns: ret.boolean('Whether it is'),
      example: 'snap.is_installed hello-world',
      run: async (ctx, given) => (await list(ctx, given.name, true)).size > 0,
    }),
    list: reads({
      doc: 'Installed snaps.',
      args: {
        name: arg.any('Only these', { optional: true }),
        revisions: arg.flag('Whether all revisions are listed', { default: false }),
      },
      returns: ret.dict('By name'),
      example: 'snap.list',
      calledAs: 'list_',
      run: (ctx, given) => list(ctx, given.name, given.revisions),
    }),
    list_upgrades: reads({
      doc: 'Snaps of which there is a newer revision.',
      args: { exclude_held: arg.flag('Whether held ones are left out', { default: false }) },
      returns: ret.dict('By name'),
      example: 'snap.list_upgrades',
      run: (ctx, { exclude_held }) => upgrades(ctx, exclude_held),
    }),
    upgrade_all: changes({
      doc: 'Bring all snaps to their newest revision.',
      args: {},
      returns: ret.boolean('True'),
      example: 'snap.upgrade_all',
      run: async (ctx) => {
        await snap(ctx, ['refresh', ...PLAIN])
        return true
      },
    }),
    info: reads({
      doc: 'What is known about a snap, installed or not.',
      args: { name, verbose: arg.flag('Whether more is told', { default: false }) },
      returns: ret.dict('The facts'),
      example: 'snap.info hello-world',
      run: async (ctx, given) => {
        const { stdout } = await snap(ctx, ['info', ...PLAIN, ...(given.verbose ? ['--verbose'] : []), str(given.name)])
        return (await deserialize('yaml', stdout)) as Dict
      },
    }),
  },
})
