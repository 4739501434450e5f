// The rules of the running reactor, what it did and why, and what it would do. It is reached by events that show
// that their sender may read the master's key.
import { localKeyFile } from '../../../base/mod.ts'
import {
  type Dict,
  fnmatch,
  isDict,
  isList,
  orderProof,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option, rawOption } from '../../../sdk/mod.ts'
import { givenData, givenNumber } from '../common/given.ts'
import { fireAndWait, waitFor } from './runner/waiting.ts'

const BASE = 'salt/reactors/manage'

/** Seconds that Salt waits for the reactor. */
const PATIENCE = 30

async function masterKey({ host, opts }: MasterContext): Promise<string> {
  const bytes = await host.read(localKeyFile(option(opts, 'cachedir'), option(opts, 'user')))
  return Buffer.from(bytes).toString().trim()
}

function isConfigured({ opts }: MasterContext): boolean {
  const engines = rawOption(opts, 'engines')
  if (truthy(engines) && isList(engines)) {
    return engines.some((engine) => (isDict(engine) ? engine.has('reactor') : str(engine).includes('reactor')))
  }
  return truthy(rawOption(opts, 'reactor'))
}

/** Asks the reactor, and gives one value of its answer. */
async function ask(ctx: MasterContext, wish: string, answer: string, data: Dict, key: string): Promise<Value> {
  if (!isConfigured(ctx)) throw new SaltError('CommandExecutionError', 'Reactor system is not running.')
  const tag = `salt/run/${ctx.jid}/${BASE}/${wish}`
  data.set('key', orderProof(await masterKey(ctx), tag, data))
  // nobody but the master fires this tag
  const answers = ctx.events((tag) => tag === `${BASE}/${answer}`, PATIENCE)[Symbol.asyncIterator]()
  const first = answers.next()
  // a master that is gone is told of below, where it is waited for
  first.catch(() => {})
  // what Salt asks for is shown by salt-run, as there
  if (wish === 'test') await ctx.fire(tag, data)
  else await ctx.progress(data, `${BASE}/${wish}`)
  const { value } = await first
  await answers.return?.(undefined)
  if (value === undefined) throw new SaltError('CommandExecutionError', 'The reactor did not answer.')
  return value.data.get(key) ?? null
}

const event = arg.any('The tag, or a glob of tags')
const unused = { saltenv: arg.any('Unused', { default: 'base' }), test: arg.any('Unused', { optional: true }) }

const timeout = arg.any('Seconds to wait at most', { default: 60 })
const seconds = (given: Value): number => givenNumber('timeout', given)

function chain(record: Dict, id: number): Dict {
  return new Map<Value, Value>([['reaction', id], ...record])
}

export default defineRunner({
  name: 'reactor',
  doc: 'The running reactor.',
  functions: {
    list: masterFn({
      doc: 'The rules that count now.',
      args: unused,
      examples: ['salt-run reactor.list'],
      calledAs: 'list_',
      run: (ctx) => ask(ctx, 'list', 'list-results', new Map(), 'reactors'),
    }),
    add: masterFn({
      doc: 'Add a rule until the master is restarted.',
      args: { event, reactors: arg.any('SLS files, one or a list'), ...unused },
      examples: ["salt-run reactor.add 'salt/cloud/*/destroyed' reactors='/srv/reactor/destroy/*.sls'"],
      run: (ctx, { event, reactors }) => {
        const files = typeof reactors === 'string' ? [reactors] : reactors
        const data = new Map<Value, Value>([['event', event]]).set('reactors', files)
        return ask(ctx, 'add', 'add-complete', data, 'result')
      },
    }),
    delete: masterFn({
      doc: 'Remove a rule until the master is restarted.',
      args: { event, ...unused },
      examples: ["salt-run reactor.delete 'salt/cloud/*/destroyed'"],
      run: (ctx, { event }) => ask(ctx, 'delete', 'delete-complete', new Map([['event', event]]), 'result'),
    }),
    is_leader: masterFn({
      doc: 'Whether the reactor answers events.',
      args: {},
      examples: ['salt-run reactor.is_leader'],
      run: (ctx) => ask(ctx, 'is_leader', 'leader/value', new Map(), 'result'),
    }),
    set_leader: masterFn({
      doc: 'Let the reactor answer events, or keep it from it.',
      args: { value: arg.any('Whether it does', { default: true }) },
      examples: ['salt-run reactor.set_leader True'],
      run: (ctx, { value }) => {
        const data = new Map<Value, Value>([['id', option(ctx.opts, 'id')]]).set('value', value)
        return ask(ctx, 'set_leader', 'leader/value', data, 'result')
      },
    }),
    test: masterFn({
      doc: 'What the reactor would do about an event, without doing it.',
      args: {
        tag: arg.any('Its tag'),
        data: arg.any('What it says', { optional: true }),
        origin: arg.string('Who fires it, for rules with a condition', { default: 'user' }),
      },
      examples: [
        `salt-run reactor.test salt/minion/web1/start '{"id": "web1"}'`,
        `salt-run reactor.test deploy/done '{}' origin=minion:web1`,
      ],
      run: (ctx, { tag, data, origin }) => {
        const asked = new Map<Value, Value>([['event', tag]]).set('data', givenData(data)).set('origin', origin)
        return ask(ctx, 'test', 'test-results', asked, 'result')
      },
    }),
    fire: masterFn({
      doc: 'Fire an event and wait for what the reactor does about it: its calls, and what minions returned to its jobs.',
      args: { tag: arg.text('Its tag'), data: arg.any('What it says', { optional: true }), timeout },
      examples: [`salt-run reactor.fire myapp/deploy/complete '{"version": "1.4.2"}' timeout=120`],
      run: (ctx, { tag, data, timeout }) => fireAndWait(ctx, tag, givenData(data), seconds(timeout)),
    }),
    wait: masterFn({
      doc: 'Wait for a reaction that is going on, and say how it ended.',
      args: { reaction: arg.any('Its number, as reactor.trace tells it'), timeout },
      examples: ['salt-run reactor.wait 42'],
      run: (ctx, { reaction, timeout }) => waitFor(ctx, givenNumber('reaction', reaction), seconds(timeout)),
    }),
    trace: masterFn({
      doc: 'What the reactor did: event, rules, files, calls with their jobs, and results or errors. The last ones first.',
      args: {
        what: arg.text('A glob of tags, the number of a reaction, or of a job it caused', { default: '*' }),
        limit: arg.any('At most so many', { default: 10 }),
      },
      examples: ['salt-run reactor.trace', "salt-run reactor.trace 'salt/minion/*' limit=3"],
      run: (ctx, { what, limit }) => {
        const wanted = what
        const caused = ({ record }: { record: Dict }): boolean => {
          const calls = record.get('calls') ?? []
          return isList(calls) && calls.some((call) => isDict(call) && call.get('jid') === wanted)
        }
        const found = ctx.reactions().last(2000)
        const chosen = found.filter(
          (one) => fnmatch(str(one.record.get('tag') ?? ''), wanted) || str(one.id) === wanted || caused(one),
        )
        if (chosen.length === 0 && /^\d+$/.test(wanted)) {
          throw new SaltError('CommandExecutionError', `There is no reaction ${wanted}, and none with a job ${wanted}`)
        }
        return chosen.slice(0, givenNumber('limit', limit)).map(({ id, record }) => chain(record, id))
      },
    }),
  },
})
