// Runs, pauses, resumes and shows orchestrations, and prints the events of the bus.
import { type Dict, dictFrom, isDict, misuse, numberOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option, optionalText } from '../../../sdk/mod.ts'
import { givenNumber } from '../common/given.ts'
import { watchEvents } from './runner/events.ts'

function checkPillar(pillar: Value): void {
  if (pillar === null || isDict(pillar)) return
  throw misuse('Pillar data must be formatted as a dictionary')
}

const idOf = (ctx: MasterContext): string => option(ctx.opts, 'id') || 'master'

/** Return the results of a run that was not compiled from files, and fire them as progress. */
async function single(ctx: MasterContext, running: Promise<Value>): Promise<Dict> {
  const ret: Dict = new Map([[idOf(ctx), await running]])
  await ctx.progress(new Map<Value, Value>([['data', ret]]).set('outputter', 'highstate'))
  return ret
}

const pillar = arg.any('Dict merged over the pillar; other types are refused', { optional: true })
const test = arg.any('Dry run: any value but False means yes. Default: the option `test`', { optional: true })
const saltenv = arg.any('Environment of the SLS files; None means the option `saltenv`', { default: 'base' })
const mods = arg.textOrList('SLS names: a list, or text with commas')
const environments = {
  pillarenv: arg.text('Environment of the pillar', { optional: true }),
  pillar_enc: arg.text('Renderer that decrypts `pillar` first', { optional: true }),
}
const queue = arg.any('Wait for other state runs: a boolean, or the greatest number of them', { default: false })

const orchestration = (name: string) =>
  masterFn({
    doc: 'Run an orchestration: SLS files whose states are steps on minions and on the master.',
    args: {
      mods,
      saltenv,
      test,
      exclude: arg.textOrList('IDs and SLS names to leave out: text with commas, or a list', { optional: true }),
      pillar,
      ...environments,
      orchestration_jid: arg.text('Job id of the orchestration run', { optional: true }),
      parallel: arg.flag(
        'Start steps that do not require each other at the same time. Default: the option `orchestrate_parallel`',
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

const showSls = (name: string) =>
  masterFn({
    doc: 'Return the high data of an orchestration.',
    args: { mods, saltenv, test, queue, pillar, ...environments },
    examples: [`salt-run state.${name} my-orch 'pillar={nodegroup: ng1}'`],
    calledAs: 'orchestrate_show_sls',
    run: async (ctx, { mods, saltenv, test, queue, pillar, pillarenv, pillar_enc }) => {
      checkPillar(pillar)
      const given = { pillar, pillarenv, pillar_enc, saltenv }
      return new Map([[idOf(ctx), await ctx.function('state.show_sls', [mods, test, queue], given)]])
    },
  })

const jid = arg.text('Job id of the orchestration run')
const state_id = arg.text('State ID at which to act. Default: the next state', { optional: true })

const pause = (name: string) =>
  masterFn({
    doc: 'Pause an orchestration run at an ID.',
    args: { jid, state_id, duration: arg.count('Seconds. Default: until `state.resume`', { optional: true }) },
    examples: [`salt-run state.${name} 20171130110407769519`],
    calledAs: 'pause',
    run: async (ctx, { jid, state_id, duration }) => {
      await ctx.function('state.pause', [jid, state_id, duration])
    },
  })

const resume = (name: string) =>
  masterFn({
    doc: 'Resume a paused orchestration run.',
    args: { jid, state_id },
    examples: [`salt-run state.${name} 20171130110407769519`],
    calledAs: 'resume',
    run: async (ctx, { jid, state_id }) => {
      await ctx.function('state.resume', [jid, state_id])
    },
  })

/** Return the graph of the states of minions, or without a target the graph of an orchestration. */
async function graph(ctx: MasterContext, fun: string, args: Value[], tgt: Value, asked: GraphRequest): Promise<Value> {
  checkPillar(asked.kwargs['pillar'] ?? null)
  if (!truthy(tgt)) return ctx.function(fun, args, asked.kwargs)
  const found: Dict = new Map()
  const seconds = numberOf(asked.timeout)
  const timeout = truthy(asked.timeout) && seconds !== undefined ? { timeout: seconds } : {}
  const kwarg = dictFrom(asked.kwargs)
  for await (const { id, data } of ctx.run({ tgt, tgtType: asked.tgt_type, fun, arg: args, kwarg, ...timeout })) {
    found.set(id, data?.get('return') ?? false)
  }
  return found
}

interface GraphRequest {
  tgt_type: string
  timeout: Value
  kwargs: Record<string, Value>
}

const minions = {
  tgt: arg.textOrList('Target: text, or a list of minion ids. Default: the master', { optional: true }),
  tgt_type: arg.string('Kind of the target', { default: 'glob' }),
}
const timeout = arg.textOrNumber('Seconds to wait for minions: a number; other types are ignored', { optional: true })

export default defineRunner({
  name: 'state',
  doc: 'Run and control orchestrations, and print the events of the bus.',
  functions: {
    orchestrate: orchestration('orchestrate'),
    orch: orchestration('orch'),
    sls: orchestration('sls'),
    orchestrate_single: masterFn({
      doc: 'Run one state function as an orchestration.',
      args: {
        fun: arg.text('State function'),
        name: arg.any('Value of the argument `name`, passed on unchanged'),
        test,
        queue,
        pillar,
        kwargs: arg.open('Other arguments of the function'),
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
      args: {
        data: arg.any('High data: a dict of states by ID'),
        test,
        queue,
        pillar,
        kwargs: arg.open('Options of the run'),
      },
      examples: ["salt-run state.orchestrate_high '{one: {salt: [state, {tgt: web1}, {sls: nginx}]}}'"],
      run: (ctx, { data, pillar, kwargs }) => {
        checkPillar(pillar)
        const given = new Map([...kwargs, ['pillar', pillar] as const])
        return single(ctx, ctx.function('state.high', [data, null, false], given))
      },
    }),
    orchestrate_runs: masterFn({
      doc: 'Return the last orchestration runs and their results.',
      args: { count: arg.any('Greatest number of runs: a number, or text of one', { default: 20 }) },
      examples: ['salt-run state.orchestrate_runs'],
      run: (ctx, { count }) => ctx.orchestration.runs(givenNumber('count', count)),
    }),
    orchestrate_show: masterFn({
      doc: 'Return an orchestration run: its arguments, and its steps with their jobs.',
      args: { jid },
      examples: ['salt-run state.orchestrate_show 20171130110407769519'],
      run: (ctx, { jid }) => ctx.orchestration.show(jid),
    }),
    orchestrate_resume: masterFn({
      doc: 'Continue an orchestration run that failed or was interrupted. Successful steps are not run again.',
      args: {
        jid,
        skip: arg.words('Tags of steps to count as done', { default: [] }),
        retry: arg.words('Tags of steps to run again although they succeeded', { default: [] }),
      },
      examples: ['salt-run state.orchestrate_resume 20171130110407769519'],
      outputter: 'highstate',
      run: (ctx, { jid, skip, retry }) => ctx.orchestration.resume(jid, { skip, retry }),
    }),
    orchestrate_show_sls: showSls('orchestrate_show_sls'),
    orch_show_sls: showSls('orch_show_sls'),
    pause: pause('pause'),
    set_pause: pause('set_pause'),
    resume: resume('resume'),
    rm_pause: resume('rm_pause'),
    soft_kill: masterFn({
      doc: 'End an orchestration run before an ID.',
      args: { jid, state_id },
      examples: ['salt-run state.soft_kill 20171130110407769519'],
      run: async (ctx, { jid, state_id }) => {
        await ctx.function('state.soft_kill', [jid, state_id])
      },
    }),
    graph: masterFn({
      doc: 'Return the requisites of SLS files as a graph in DOT format.',
      args: { mods, ...minions, saltenv, test, pillar, ...environments, timeout },
      examples: ['salt-run state.graph webserver'],
      run: (ctx, { mods, tgt, tgt_type, timeout, ...kwargs }) =>
        graph(ctx, 'state.graph', [mods], tgt, { tgt_type, timeout, kwargs }),
    }),
    graph_highstate: masterFn({
      doc: 'Return the requisites of the highstate as a graph in DOT format.',
      args: { ...minions, pillar, ...environments, timeout },
      examples: ["salt-run state.graph_highstate tgt='*'"],
      run: (ctx, { tgt, tgt_type, timeout, ...kwargs }) =>
        graph(ctx, 'state.graph_highstate', [], tgt, { tgt_type, timeout, kwargs }),
    }),
    event: masterFn({
      doc: 'Print the tag and data of each event of the bus as it comes.',
      args: {
        tagmatch: arg.text('Tags to print: a glob, or a regular expression', { default: '*' }),
        count: arg.any('Number of events after which to end: a number, or text of one; -1 for no end', { default: -1 }),
        quiet: arg.flag('Print nothing', { default: false }),
        sock_dir: arg.text('Directory of the sockets of the master', { optional: true }),
        pretty: arg.flag('Print the data on several lines', { default: false }),
        node: arg.text('Daemon whose events are printed: master, or minion on this machine', { default: 'master' }),
        since: optionalText('First event from the journal: an event number, a time, or an age such as `10m`'),
        resume: optionalText('Last event already seen: an event number, or a name under which it is stored'),
        numbers: arg.flag('Print the number of each event', { default: false }),
        origins: arg.flag('Print the sender of each event, such as `minion:web1`', { default: false }),
      },
      examples: [
        'salt-run state.event pretty=True',
        "salt-run state.event 'salt/job/*' count=1",
        'salt-run state.event since=10m',
        "salt-run state.event 'salt/beacon/*' resume=alerts",
      ],
      run: (ctx, { count, ...options }) => watchEvents(ctx, { ...options, count: givenNumber('count', count) }),
    }),
  },
})
