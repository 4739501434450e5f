// Orchestration: states that run beside the master, whose steps have minions work.
import { type Dict, isDict, numberOf, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'
import { givenNumber } from '../common/given.ts'
import { watchEvents } from './runner/events.ts'

function checkPillar(pillar: Value): void {
  if (pillar === null || isDict(pillar)) return
  throw new SaltError('SaltInvocationError', 'Pillar data must be formatted as a dictionary')
}

const idOf = (ctx: MasterContext): string => option(ctx.opts, 'id') || 'master'

/** One run that was not compiled from files: told as progress, too. */
async function single(ctx: MasterContext, running: Promise<Value>): Promise<Dict> {
  const ret: Dict = new Map([[idOf(ctx), await running]])
  await ctx.progress(new Map<Value, Value>([['data', ret]]).set('outputter', 'highstate'))
  return ret
}

const pillar = arg.any('Laid over the pillar', { optional: true })
const test = arg.any('Whether to predict in place of changing', { optional: true })
const saltenv = arg.any('The environment of the files', { default: 'base' })
const mods = arg.any('SLS names, as a list or with commas')
const environments = {
  pillarenv: arg.any('The environment of the pillar', { optional: true }),
  pillar_enc: arg.any('The renderer that decrypts the pillar given', { optional: true }),
}
const queue = arg.any('After other runs', { default: false })

const orchestration = (name: string) =>
  masterFn({
    doc: 'Run an orchestration: SLS files whose states are steps on minions and on the master.',
    args: {
      mods,
      saltenv,
      test,
      exclude: arg.any('IDs and SLS names to leave out', { optional: true }),
      pillar,
      ...environments,
      orchestration_jid: arg.any('The run that it belongs to', { optional: true }),
      parallel: arg.any(
        'Whether steps begin together that do not require each other; `orchestrate_parallel` unless given',
        { optional: true, beyond: true },
      ),
    },
    examples: [`salt-run state.${name} webserver`, `salt-run state.${name} webserver saltenv=dev test=True`],
    calledAs: 'orchestrate',
    outputter: 'highstate',
    run: (ctx, request) => {
      checkPillar(request.pillar)
      return ctx.orchestration.run(request)
    },
  })

const shown = (name: string) =>
  masterFn({
    doc: 'The high data of an orchestration.',
    args: { mods, saltenv, test, queue, pillar, ...environments },
    examples: [`salt-run state.${name} my-orch 'pillar={nodegroup: ng1}'`],
    calledAs: 'orchestrate_show_sls',
    run: async (ctx, { mods, saltenv, test, queue, pillar, pillarenv, pillar_enc }) => {
      checkPillar(pillar)
      const given = { pillar, pillarenv, pillar_enc, saltenv }
      return new Map([[idOf(ctx), await ctx.function('state.show_sls', [mods, test, queue], given)]])
    },
  })

const jid = arg.any('The number of the orchestration')
const state_id = arg.any('The ID to act at; the next one when not given', { optional: true })

const paused = (name: string) =>
  masterFn({
    doc: 'Hold an orchestration at an ID.',
    args: { jid, state_id, duration: arg.any('Seconds; until it is resumed when not given', { optional: true }) },
    examples: [`salt-run state.${name} 20171130110407769519`],
    calledAs: 'pause',
    run: async (ctx, { jid, state_id, duration }) => {
      await ctx.function('state.pause', [jid, state_id, duration])
    },
  })

const resumed = (name: string) =>
  masterFn({
    doc: 'Let a held orchestration go on.',
    args: { jid, state_id },
    examples: [`salt-run state.${name} 20171130110407769519`],
    calledAs: 'resume',
    run: async (ctx, { jid, state_id }) => {
      await ctx.function('state.resume', [jid, state_id])
    },
  })

/** A graph of the states of minions, or of an orchestration without a target. */
async function graph(ctx: MasterContext, fun: string, args: Value[], tgt: Value, asked: GraphWish): Promise<Value> {
  checkPillar(asked.kwargs['pillar'] ?? null)
  if (!truthy(tgt)) return ctx.function(fun, args, asked.kwargs)
  const found: Dict = new Map()
  const seconds = numberOf(asked.timeout)
  const timeout = truthy(asked.timeout) && seconds !== undefined ? { timeout: seconds } : {}
  const kwarg = new Map<Value, Value>(Object.entries(asked.kwargs))
  for await (const { id, data } of ctx.run({ tgt, tgtType: asked.tgt_type, fun, arg: args, kwarg, ...timeout })) {
    found.set(id, data?.get('return') ?? false)
  }
  return found
}

interface GraphWish {
  tgt_type: string
  timeout: Value
  kwargs: Record<string, Value>
}

const minions = {
  tgt: arg.any('The minions whose graph it is; the master without', { optional: true }),
  tgt_type: arg.string('The form of the target', { default: 'glob' }),
}
const timeout = arg.any('Seconds to wait for minions', { optional: true })

export default defineRunner({
  name: 'state',
  doc: 'Orchestrations, and the events of the bus.',
  functions: {
    orchestrate: orchestration('orchestrate'),
    orch: orchestration('orch'),
    sls: orchestration('sls'),
    orchestrate_single: masterFn({
      doc: 'Run one state function as an orchestration.',
      args: {
        fun: arg.any('The state function'),
        name: arg.any('Its name argument'),
        test,
        queue,
        pillar,
        kwargs: arg.open('Its other arguments'),
      },
      examples: ['salt-run state.orchestrate_single fun=salt.wheel name=key.list_all'],
      run: (ctx, { fun, name, pillar, kwargs }) => {
        checkPillar(pillar)
        const given = new Map([...kwargs, ...(pillar === null ? [] : ([['pillar', pillar]] as const))])
        return single(ctx, ctx.function('state.single', [fun, name, null, false], given))
      },
    }),
    orchestrate_high: masterFn({
      doc: 'Run high data as an orchestration.',
      args: { data: arg.any('The data'), test, queue, pillar, kwargs: arg.open('Options of the run') },
      examples: ["salt-run state.orchestrate_high '{one: {salt: [state, {tgt: web1}, {sls: nginx}]}}'"],
      run: (ctx, { data, pillar, kwargs }) => {
        checkPillar(pillar)
        const given = new Map([...kwargs, ['pillar', pillar] as const])
        return single(ctx, ctx.function('state.high', [data, null, false], given))
      },
    }),
    orchestrate_runs: masterFn({
      doc: 'The last orchestrations, and how they ended.',
      args: { count: arg.any('How many', { default: 20 }) },
      examples: ['salt-run state.orchestrate_runs'],
      run: (ctx, { count }) => ctx.orchestration.runs(givenNumber('count', count)),
    }),
    orchestrate_show: masterFn({
      doc: 'One orchestration: what was asked for, its steps with their jobs, and what is left.',
      args: { jid },
      examples: ['salt-run state.orchestrate_show 20171130110407769519'],
      run: (ctx, { jid }) => ctx.orchestration.show(str(jid)),
    }),
    orchestrate_resume: masterFn({
      doc: 'Go on with an orchestration that failed or was interrupted; steps that succeeded are not done again.',
      args: { jid },
      examples: ['salt-run state.orchestrate_resume 20171130110407769519'],
      outputter: 'highstate',
      run: (ctx, { jid }) => ctx.orchestration.resume(str(jid)),
    }),
    orchestrate_show_sls: shown('orchestrate_show_sls'),
    orch_show_sls: shown('orch_show_sls'),
    pause: paused('pause'),
    set_pause: paused('set_pause'),
    resume: resumed('resume'),
    rm_pause: resumed('rm_pause'),
    soft_kill: masterFn({
      doc: 'End an orchestration before an ID.',
      args: { jid, state_id },
      examples: ['salt-run state.soft_kill 20171130110407769519'],
      run: async (ctx, { jid, state_id }) => {
        await ctx.function('state.soft_kill', [jid, state_id])
      },
    }),
    graph: masterFn({
      doc: 'The requisites of SLS files as a graph in DOT format.',
      args: { mods, ...minions, saltenv, test, pillar, ...environments, timeout },
      examples: ['salt-run state.graph webserver'],
      run: (ctx, { mods, tgt, tgt_type, timeout, ...kwargs }) =>
        graph(ctx, 'state.graph', [mods], tgt, { tgt_type, timeout, kwargs }),
    }),
    graph_highstate: masterFn({
      doc: 'The requisites of the highstate as a graph in DOT format.',
      args: { ...minions, pillar, ...environments, timeout },
      examples: ["salt-run state.graph_highstate tgt='*'"],
      run: (ctx, { tgt, tgt_type, timeout, ...kwargs }) =>
        graph(ctx, 'state.graph_highstate', [], tgt, { tgt_type, timeout, kwargs }),
    }),
    event: masterFn({
      doc: 'Print the events of the bus as they come, each as its tag and its data.',
      args: {
        tagmatch: arg.text('Only tags that match, by a glob or a regular expression', { default: '*' }),
        count: arg.any('End after so many; -1 never ends', { default: -1 }),
        quiet: arg.flag('Wait only', { default: false }),
        sock_dir: arg.text('Where the sockets of the master are', { optional: true }),
        pretty: arg.flag('Over several lines', { default: false }),
        node: arg.text('Whose events: those of the master, or of the minion on this machine', { default: 'master' }),
        since: arg.any('First from the journal: since an event number, a time, or so long ago, such as 10m', {
          optional: true,
        }),
        resume: arg.any('After an event number, or under a name that remembers the last event', { optional: true }),
        numbers: arg.flag('With the number of each event in front', { default: false }),
        origins: arg.flag('With who fired each event in front, such as minion:web1', { default: false }),
      },
      examples: [
        'salt-run state.event pretty=True',
        "salt-run state.event 'salt/job/*' count=1",
        'salt-run state.event since=10m',
        "salt-run state.event 'salt/beacon/*' resume=alerts",
      ],
      run: (ctx, { tagmatch, count, ...wish }) =>
        watchEvents(ctx, { ...wish, tagmatch: tagmatch, count: givenNumber('count', count) }),
    }),
  },
})
