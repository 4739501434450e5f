// Applying states and looking at them: the functions behind `state.apply` and its kin.
import { str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import {
  type ApplyArgs,
  applyHigh,
  applyHighstate,
  applyId,
  applyLow,
  applySingle,
  applySls,
  applyTemplate,
  applyText,
  applyTop,
  orchestrate,
} from './module/apply.ts'
import { clearCache } from './module/cache.ts'
import { changeDisabled } from './module/disabled.ts'
import type { Further } from './module/options.ts'
import { applyPackage } from './module/package.ts'
import { listPauses, note, resume, wholeSeconds } from './module/pauses.ts'
import { runningTexts } from './module/queue.ts'
import { addRequest, clearRequest, readRequest, readRequests } from './module/requests.ts'
import {
  explainId,
  graphHighstate,
  graphSls,
  idExists,
  type ShowArgs,
  showHighstate,
  showLowSls,
  showLowstate,
  showSls,
  showStates,
  showTop,
  showUsage,
} from './module/show.ts'

const kwargs = arg.open('Options of the run: `saltenv`, `pillarenv`, `pillar`, `pillar_enc`, `concurrent`, `cache`, …')
const test = arg.any('Whether to predict in place of changing; the configuration decides when not given', {
  optional: true,
})
const queue = arg.any('Wait for other state runs: true, or behind how many at most', { optional: true })
const exclude = arg.any('IDs and SLS names to leave out', { optional: true })
const state_events = arg.any('Whether each state is told of as an event', { optional: true })
const mods = arg.any('SLS names, as a list or with commas')

const results = ret.any('The results by tag; a list of errors when it cannot be compiled')

/** Keywords that are parameters of the functions behind `state.apply`. */
/** Arguments of the functions behind `state.apply`. */
const TAKEN = ['test', 'queue', 'state_events', 'sync_mods']

function applyArgs(given: Further): ApplyArgs {
  const further = new Map(given)
  const take = (name: string): Value => {
    const value = further.get(name) ?? null
    further.delete(name)
    return value
  }
  const [test, queue, state_events, sync_mods] = TAKEN.map(take) as [Value, Value, Value, Value]
  return { test, queue, state_events, sync_mods, kwargs: further }
}

function apply(ctx: FunctionContext, mods: Value, given: Further): Promise<Value> {
  const args = applyArgs(given)
  if (!truthy(mods)) return applyHighstate(ctx, args)
  const further = new Map(args.kwargs)
  further.delete('exclude')
  return applySls(ctx, mods, args.kwargs.get('exclude') ?? null, { ...args, kwargs: further })
}

async function runRequest(ctx: FunctionContext, name: string, given: Further): Promise<Value> {
  const request = (await readRequests(ctx)).get(name)
  const mods = request instanceof Map ? request.get('mods') : undefined
  const kept = request instanceof Map ? request.get('kwargs') : undefined
  if (mods === undefined || !(kept instanceof Map)) return new Map()
  const all = new Map<string, Value>([
    ...Array.from(kept, ([key, value]): [string, Value] => [str(key), value]),
    ...given,
  ])
  all.delete('test')
  const result = await apply(ctx, mods, all)
  await clearRequest(ctx, null)
  return result
}

function show(doc: string, returns: string, run: (ctx: FunctionContext, args: ShowArgs) => Promise<Result>) {
  return reads({ doc, args: { queue, kwargs }, returns: ret.any(returns), run })
}

function showOf(
  doc: string,
  returns: string,
  run: (ctx: FunctionContext, mods: Value, args: ShowArgs) => Promise<Result>,
) {
  return reads({
    doc,
    args: { mods, test, queue, kwargs },
    returns: ret.any(returns),
    run: (ctx, { mods, ...args }) => run(ctx, mods, args),
  })
}

const jid = arg.text('The job')
const state_id = arg.any('The ID to act at; the next one when not given', { optional: true })
const byJob = { jid, state_id } satisfies Args

export default defineModule({
  name: 'state',
  doc: 'Apply states to this minion, and see what they would do.',
  functions: {
    running: reads({
      doc: 'Which state runs are under way.',
      args: { concurrent: arg.boolean('Whether other runs do not matter', { default: false }) },
      returns: ret.texts('A sentence for each'),
      run: (ctx, { concurrent }) => runningTexts(ctx, concurrent),
    }),
    apply: changes({
      doc: 'Apply SLS files, or without them the highstate.',
      args: { mods: arg.any('SLS names, as a list or with commas', { optional: true }), kwargs },
      returns: results,
      examples: ["salt '*' state.apply", "salt '*' state.apply core,edit.vim test=True"],
      outputter: 'highstate',
      calledAs: 'apply_',
      run: (ctx, { mods, kwargs }) => apply(ctx, mods, kwargs),
    }),
    test: reads({
      doc: 'What `state.apply` would do.',
      args: { mods: arg.any('SLS names, as a list or with commas', { optional: true }), kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { mods, kwargs }) => apply(ctx, mods, new Map([...kwargs, ['test', true]])),
    }),
    highstate: changes({
      doc: 'Apply what the top file gives this minion.',
      args: { test, queue, state_events, kwargs },
      returns: results,
      example: 'state.highstate',
      outputter: 'highstate',
      run: applyHighstate,
    }),
    sls: changes({
      doc: 'Apply SLS files.',
      args: {
        mods,
        test,
        exclude,
        queue,
        sync_mods: arg.any('Kinds of custom modules to sync first', { optional: true }),
        state_events,
        kwargs,
      },
      returns: results,
      example: 'state.sls core,edit.vim',
      outputter: 'highstate',
      run: (ctx, { mods, exclude, ...args }) => applySls(ctx, mods, exclude, args),
    }),
    orchestrate: changes({
      doc: 'Apply SLS files as an orchestration, on a minion without a master.',
      args: {
        mods,
        saltenv: arg.any('Their environment', { default: 'base' }),
        test,
        exclude,
        pillar: arg.any('Laid over the pillar', { optional: true }),
        pillarenv: arg.any('The environment of the pillar', { optional: true }),
      },
      returns: ret.dict('Results below the name of the minion, and a return code'),
      examples: ['salt-call --local state.orchestrate webserver'],
      run: (ctx, { mods, ...args }) => orchestrate(ctx, mods, args),
    }),
    top: changes({
      doc: 'Apply what another top file gives this minion.',
      args: { topfn: arg.string('The top file, below the root'), test, queue, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { topfn, ...args }) => applyTop(ctx, topfn, { ...args, state_events: null }),
    }),
    sls_id: changes({
      doc: 'Apply one ID of SLS files, with what it requires.',
      args: { id_: arg.any('The ID'), mods, test, queue, state_events, kwargs },
      returns: results,
      example: 'state.sls_id my_state my_module',
      outputter: 'highstate',
      run: (ctx, { id_, mods, ...args }) => applyId(ctx, id_, mods, args),
    }),
    single: changes({
      doc: 'Call one state function.',
      args: {
        fun: arg.string('The function'),
        name: arg.any('Its name argument'),
        test,
        queue,
        kwargs: arg.open('Its other arguments'),
      },
      returns: results,
      example: 'state.single pkg.installed name=vim',
      outputter: 'highstate',
      run: (ctx, { fun, name, ...args }) => applySingle(ctx, fun, name, { ...args, state_events: null }),
    }),
    low: changes({
      doc: 'Call one low chunk.',
      args: { data: arg.any('The chunk'), queue, kwargs },
      returns: ret.any('Its result; a list of errors when it cannot be called'),
      run: (ctx, { data, queue, kwargs }) => applyLow(ctx, data, queue, kwargs),
    }),
    high: changes({
      doc: 'Apply high data.',
      args: { data: arg.any('The data'), test, queue, kwargs },
      returns: results,
      run: (ctx, { data, ...args }) => applyHigh(ctx, data, { ...args, state_events: null }),
    }),
    template: changes({
      doc: 'Apply an SLS file of the minion.',
      args: { tem: arg.string('The path'), queue, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { tem, ...args }) => applyTemplate(ctx, tem, { ...args, test: null, state_events: null }),
    }),
    template_str: changes({
      doc: 'Apply states given as text.',
      args: { tem: arg.string('The text'), queue, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { tem, ...args }) => applyText(ctx, tem, { ...args, test: null, state_events: null }),
    }),
    pkg: changes({
      doc: 'Apply a state run that was packed as a tarball.',
      args: {
        pkg_path: arg.string('The tarball'),
        pkg_sum: arg.any('Its hash'),
        hash_type: arg.any('Of which kind the hash is'),
        test,
        kwargs,
      },
      returns: results,
      example: 'state.pkg /tmp/salt_state.tgz 760a9353810e36f6d81416366fc426dc md5',
      outputter: 'highstate',
      run: applyPackage,
    }),
    show_top: show('The SLS files that the top file gives this minion.', 'Environment to SLS names', showTop),
    show_highstate: show('The high data of the highstate.', 'The high data', showHighstate),
    show_lowstate: show('The ordered low chunks of the highstate.', 'The chunks', showLowstate),
    show_states: show('The SLS files of the highstate in the order they are applied.', 'The names', showStates),
    show_state_usage: show('Which SLS files the highstate uses and which not.', 'Names and counts', showUsage),
    show_sls: showOf('The high data of SLS files.', 'The high data', showSls),
    show_low_sls: showOf('The ordered low chunks of SLS files.', 'The chunks', showLowSls),
    graph: showOf('The requisites of SLS files as a graph in DOT format.', 'The graph', graphSls),
    graph_highstate: show('The requisites of the highstate as a graph in DOT format.', 'The graph', graphHighstate),
    sls_exists: showOf('Whether SLS files exist and can be rendered.', 'Whether they do', async (ctx, mods, args) => {
      return (await showSls(ctx, mods, args)) instanceof Map
    }),
    id_exists: reads({
      doc: 'Whether SLS files have all of these IDs.',
      args: { ids: arg.any('IDs, as a list or with commas'), mods, test, queue, kwargs },
      returns: ret.boolean('Whether they do'),
      run: (ctx, { ids, mods, ...args }) => idExists(ctx, ids, mods, args),
    }),
    explain: reads({
      doc: 'Why the states of an ID would run or not: what their requisites saw, and where they are written.',
      args: {
        id_: arg.any('The ID'),
        mods: arg.any('SLS names; the highstate when not given', { optional: true }),
        queue,
        kwargs,
      },
      returns: ret.list('One entry for each state'),
      example: 'state.explain my_state my_module',
      run: (ctx, { id_, mods, ...args }) => explainId(ctx, id_, mods, args),
    }),
    request: changes({
      doc: 'Ask the local admin to apply states: shows what they would do, and keeps the request.',
      args: { mods: arg.any('SLS names; the highstate when not given', { optional: true }), kwargs },
      returns: results,
      outputter: 'highstate',
      run: async (ctx, { mods, kwargs }) => {
        const asked = new Map([...kwargs, ['test', true as Value]])
        const result = await apply(ctx, mods, asked)
        await addRequest(ctx, mods, asked, result)
        return result
      },
    }),
    check_request: reads({
      doc: 'The requests that wait.',
      args: { name: arg.any('Only the one of this name', { optional: true }) },
      returns: ret.dict('The requests by name'),
      outputter: 'highstate',
      run: (ctx, { name }) => readRequest(ctx, name),
    }),
    clear_request: changes({
      doc: 'Drop a request, or all.',
      args: { name: arg.any('Only the one of this name', { optional: true }) },
      returns: ret.boolean('False when there is none of that name'),
      run: (ctx, { name }) => clearRequest(ctx, name),
    }),
    run_request: changes({
      doc: 'Apply what was requested.',
      args: { name: arg.string('The request', { default: 'default' }), kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { name, kwargs }) => runRequest(ctx, name, kwargs),
    }),
    disable: changes({
      doc: 'Keep SLS files, functions or the highstate from running.',
      args: { states: arg.any('Names, as a list or with commas') },
      returns: ret.dict('What was done'),
      example: 'state.disable highstate',
      run: (ctx, { states }) => changeDisabled(ctx, states, 'disabled'),
    }),
    enable: changes({
      doc: 'Let SLS files, functions or the highstate run again.',
      args: { states: arg.any('Names, as a list or with commas') },
      returns: ret.dict('What was done'),
      run: (ctx, { states }) => changeDisabled(ctx, states, 'enabled'),
    }),
    list_disabled: reads({
      doc: 'What is kept from running.',
      args: {},
      returns: ret.any('The names; an empty text when there are none'),
      run: (ctx) => ctx.call('grains.get', ['state_runs_disabled']),
    }),
    pause: changes({
      doc: 'Hold a run at an ID.',
      args: { ...byJob, duration: arg.any('Seconds; until it is resumed when not given', { optional: true }) },
      run: (ctx, { jid, state_id, duration }) =>
        truthy(duration) ? note(ctx, jid, state_id, 'duration', wholeSeconds(duration)) : note(ctx, jid, state_id),
    }),
    resume: changes({
      doc: 'Let a held run go on.',
      args: byJob,
      run: (ctx, { jid, state_id }) => resume(ctx, jid, state_id),
    }),
    soft_kill: changes({
      doc: 'End a run before an ID.',
      args: byJob,
      run: (ctx, { jid, state_id }) => note(ctx, jid, state_id, 'kill', true),
    }),
    get_pauses: reads({
      doc: 'Which runs are held.',
      args: { jid: arg.any('Only these jobs', { optional: true }) },
      returns: ret.dict('Notes by job'),
      run: (ctx, { jid }) => listPauses(ctx, jid),
    }),
    clear_cache: changes({
      doc: 'Remove the high data kept for `cache=True`.',
      args: {},
      returns: ret.texts('The files that were removed'),
      run: clearCache,
    }),
  },
})
