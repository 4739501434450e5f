// Shows and changes the rules of the running reactor, and shows its reactions. Requests are events with a proof that the
// sender can read the key of the master.
import { localKeyFile } from '../../../base/mod.ts'
import { type Dict, failure, fnmatch, isDict, isList, orderProof, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option, rawOption } from '../../../sdk/mod.ts'
import { givenData, givenNumber } from '../common/given.ts'
import { fireAndWait, waitFor } from './runner/waiting.ts'

const BASE = 'salt/reactors/manage'

/** Seconds to wait for the reactor, as in Salt. */
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

/** Ask the reactor, and return one value of its answer. */
async function ask(ctx: MasterContext, request: string, answer: string, data: Dict, key: string): Promise<Value> {
  if (!isConfigured(ctx)) throw failure('Reactor system is not running.')
  const tag = `salt/run/${ctx.jid}/${BASE}/${request}`
  data.set('key', orderProof(await masterKey(ctx), tag, data))
  // only the master may fire this tag
  const answers = ctx.events((tag) => tag === `${BASE}/${answer}`, PATIENCE)[Symbol.asyncIterator]()
  const first = answers.next()
  // `await first` below raises the error of a master that is gone
  first.catch(() => {})
  // as in Salt, salt-run shows the requests that Salt has
  if (request === 'test') await ctx.fire(tag, data)
  else await ctx.progress(data, `${BASE}/${request}`)
  const { value } = await first
  await answers.return?.(undefined)
  if (value === undefined) throw failure('The reactor did not answer.')
  return value.data.get(key) ?? null
}

const event = arg.text('Tag, or a glob of tags')
const data = arg.any('Dict with the data of the event; other types are refused', { optional: true })
const unused = { saltenv: arg.text('Ignored', { default: 'base' }), test: arg.text('Ignored', { optional: true }) }

const timeout = arg.any('Greatest number of seconds to wait: a number, or text of one', { default: 60 })
const seconds = (given: Value): number => givenNumber('timeout', given)

function chain(record: Dict, id: number): Dict {
  return new Map<Value, Value>([['reaction', id], ...record])
}

export default defineRunner({
  name: 'reactor',
  doc: 'Manage the running reactor.',
  functions: {
    list: masterFn({
      doc: 'Return the current rules.',
      args: unused,
      examples: ['salt-run reactor.list'],
      calledAs: 'list_',
      run: (ctx) => ask(ctx, 'list', 'list-results', new Map(), 'reactors'),
    }),
    add: masterFn({
      doc: 'Add a rule until the master is restarted.',
      args: { event, reactors: arg.any('SLS file, or a list of SLS files'), ...unused },
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
      doc: 'Return whether the reactor reacts to events.',
      examples: ['salt-run reactor.is_leader'],
      run: (ctx) => ask(ctx, 'is_leader', 'leader/value', new Map(), 'result'),
    }),
    set_leader: masterFn({
      doc: 'Enable or disable the reactor.',
      args: { value: arg.flag('Whether the reactor reacts to events', { default: true }) },
      examples: ['salt-run reactor.set_leader True'],
      run: (ctx, { value }) => {
        const data = new Map<Value, Value>([['id', option(ctx.opts, 'id')]]).set('value', value)
        return ask(ctx, 'set_leader', 'leader/value', data, 'result')
      },
    }),
    test: masterFn({
      doc: 'Return what the reactor would do for an event, without doing it.',
      args: {
        tag: arg.text('Tag of the event'),
        data,
        origin: arg.string('Sender of the event, for rules with a condition', { default: 'user' }),
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
      doc: 'Fire an event and wait for the reaction. Return its calls and the returns of its jobs.',
      args: { tag: arg.text('Tag of the event'), data, timeout },
      examples: [`salt-run reactor.fire myapp/deploy/complete '{"version": "1.4.2"}' timeout=120`],
      run: (ctx, { tag, data, timeout }) => fireAndWait(ctx, tag, givenData(data), seconds(timeout)),
    }),
    wait: masterFn({
      doc: 'Wait for a running reaction and return its result.',
      args: { reaction: arg.any('Number of the reaction, as `reactor.trace` shows it'), timeout },
      examples: ['salt-run reactor.wait 42'],
      run: (ctx, { reaction, timeout }) => waitFor(ctx, givenNumber('reaction', reaction), seconds(timeout)),
    }),
    trace: masterFn({
      doc: 'Return the last reactions: event, rules, files, calls with their jobs, and results or errors. Newest first.',
      args: {
        what: arg.text('Glob of tags, number of a reaction, or id of a job that it started', { default: '*' }),
        limit: arg.textOrNumber('Greatest number of reactions: a number, or text of one', { default: 10 }),
      },
      examples: ['salt-run reactor.trace', "salt-run reactor.trace 'salt/minion/*' limit=3"],
      run: (ctx, { what, limit }) => {
        const caused = ({ record }: { record: Dict }): boolean => {
          const calls = record.get('calls') ?? []
          return isList(calls) && calls.some((call) => isDict(call) && call.get('jid') === what)
        }
        const found = ctx.reactions().last(2000)
        const chosen = found.filter(
          (reaction) =>
            fnmatch(str(reaction.record.get('tag') ?? ''), what) || str(reaction.id) === what || caused(reaction),
        )
        if (chosen.length === 0 && /^\d+$/.test(what)) {
          throw failure(`There is no reaction ${what}, and none with a job ${what}`)
        }
        return chosen.slice(0, givenNumber('limit', limit)).map(({ id, record }) => chain(record, id))
      },
    }),
  },
})
