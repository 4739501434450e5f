// Functions that apply states to this minion, and functions that show the states to apply.
import { after } from '../../../base/mod.ts'
import { maskMarked, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  type Result,
  reads,
  ret,
  toValue,
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
import { watchMinionEvents } from './module/events.ts'
import type { Further } from './module/options.ts'
import { applyPackage } from './module/package.ts'
import { listPauses, note, resume } from './module/pauses.ts'
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
const test = arg.any('Dry run: any value but False means yes. Default: the option `test`', { optional: true })
const queue = arg.any('Wait for other state runs: True, or the greatest number of runs to wait behind', {
  optional: true,
})
const exclude = arg.textOrList('IDs and SLS names to leave out: text with commas, or a list of names and dicts', {
  optional: true,
})
const state_events = arg.flag('Fire an event for each state. Default: the option `state_events`', { optional: true })
const mods = arg.textOrList('SLS names: a list, or text with commas')
const modsOrHighstate = arg.textOrList('SLS names: a list, or text with commas. Default: the highstate', {
  optional: true,
})

const results = ret.any('Results by tag; a list of errors if the states do not compile')

/** Keywords that are parameters of the functions behind `state.apply`. */
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

const jid = arg.text('Job id of the run')
const state_id = arg.text('State ID at which to act. Default: the next state', { optional: true })
const byJob = { jid, state_id } satisfies Args

/** Return the functions with results that show no secrets: states get secrets of Vault and the like, and events and jobs keep results. */
function withoutSecrets(functions: Readonly<Record<string, FunctionDeclaration>>): Record<string, FunctionDeclaration> {
  const masking = ({ run, ...declared }: FunctionDeclaration): FunctionDeclaration => ({
    ...declared,
    run: (ctx, args) => after(run(ctx, args), (result) => maskMarked(toValue(result))),
  })
  return Object.fromEntries(Object.entries(functions).map(([name, declared]) => [name, masking(declared)]))
}

export default defineModule({
  name: 'state',
  doc: 'Apply states to this minion, or show what would be applied.',
  examples: 'given',
  functions: withoutSecrets({
    running: reads({
      doc: 'Return the state runs that are in progress.',
      args: { concurrent: arg.boolean('Ignore other runs and return an empty list', { default: false }) },
      returns: ret.texts('One sentence for each run'),
      run: (ctx, { concurrent }) => runningTexts(ctx, concurrent),
    }),
    apply: changes({
      doc: 'Apply SLS files, or the highstate if none are given.',
      args: { mods: modsOrHighstate, kwargs },
      returns: results,
      examples: ["salt '*' state.apply", "salt '*' state.apply core,edit.vim test=True"],
      outputter: 'highstate',
      calledAs: 'apply_',
      run: (ctx, { mods, kwargs }) => apply(ctx, mods, kwargs),
    }),
    test: reads({
      doc: 'Run `state.apply` with `test=True`.',
      args: { mods: modsOrHighstate, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { mods, kwargs }) => apply(ctx, mods, new Map([...kwargs, ['test', true]])),
    }),
    highstate: changes({
      doc: 'Apply the SLS files that the top file assigns to this minion.',
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
        sync_mods: arg.any('Kinds of custom modules to sync first: True for all, a list, or text with commas', {
          optional: true,
        }),
        state_events,
        kwargs,
      },
      returns: results,
      example: 'state.sls core,edit.vim',
      outputter: 'highstate',
      run: (ctx, { mods, exclude, ...args }) => applySls(ctx, mods, exclude, args),
    }),
    orchestrate: changes({
      doc: 'Apply SLS files as an orchestration on a minion without a master.',
      args: {
        mods,
        saltenv: arg.text('Environment of the SLS files', { default: 'base' }),
        test,
        exclude,
        pillar: arg.any('Dict merged over the pillar; other types are refused', { optional: true }),
        pillarenv: arg.text('Environment of the pillar', { optional: true }),
      },
      returns: ret.dict('Results under the id of the minion, and a return code'),
      examples: ['salt-call --local state.orchestrate webserver'],
      run: (ctx, { mods, ...args }) => orchestrate(ctx, mods, args),
    }),
    top: changes({
      doc: 'Apply the SLS files that another top file assigns to this minion.',
      args: { topfn: arg.string('Path of the top file in the file roots'), test, queue, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { topfn, ...args }) => applyTop(ctx, topfn, { ...args, state_events: null }),
    }),
    sls_id: changes({
      doc: 'Apply one ID of SLS files, with its requisites.',
      args: { id_: arg.text('State ID'), mods, test, queue, state_events, kwargs },
      returns: results,
      example: 'state.sls_id my_state my_module',
      outputter: 'highstate',
      run: (ctx, { id_, mods, ...args }) => applyId(ctx, id_, mods, args),
    }),
    single: changes({
      doc: 'Call one state function.',
      args: {
        fun: arg.string('State function, such as `pkg.installed`'),
        name: arg.any('Value of the argument `name`, passed on unchanged'),
        test,
        queue,
        kwargs: arg.open('Other arguments of the function'),
      },
      returns: results,
      example: 'state.single pkg.installed name=vim',
      outputter: 'highstate',
      run: (ctx, { fun, name, ...args }) => applySingle(ctx, fun, name, { ...args, state_events: null }),
    }),
    low: changes({
      doc: 'Call the state of one low chunk.',
      args: { data: arg.any('Low chunk: a dict with `state`, `fun`, `name` and `__id__`'), queue, kwargs },
      returns: ret.any('Result of the state; a list of errors if the chunk is not valid'),
      run: (ctx, { data, queue, kwargs }) => applyLow(ctx, data, queue, kwargs),
    }),
    high: changes({
      doc: 'Apply high data.',
      args: { data: arg.any('High data: a dict of states by ID'), test, queue, kwargs },
      returns: results,
      run: (ctx, { data, ...args }) => applyHigh(ctx, data, { ...args, state_events: null }),
    }),
    template: changes({
      doc: 'Apply an SLS file on the disk of the minion.',
      args: { tem: arg.string('Path of the file; `.sls` is added if missing'), queue, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { tem, ...args }) => applyTemplate(ctx, tem, { ...args, test: null, state_events: null }),
    }),
    template_str: changes({
      doc: 'Apply states given as text.',
      args: { tem: arg.string('Text of an SLS file'), queue, kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { tem, ...args }) => applyText(ctx, tem, { ...args, test: null, state_events: null }),
    }),
    pkg: changes({
      doc: 'Apply a state run from a tarball.',
      args: {
        pkg_path: arg.string('Path of the tarball'),
        pkg_sum: arg.text('Expected hash of the tarball'),
        hash_type: arg.text('Hash algorithm, such as `md5`'),
        test,
        kwargs,
      },
      returns: results,
      example: 'state.pkg /tmp/salt_state.tgz 760a9353810e36f6d81416366fc426dc md5',
      outputter: 'highstate',
      run: applyPackage,
    }),
    event: reads({
      doc: 'Print the tag and data of each event of the bus of this minion as it comes. A job of a master returns the events.',
      args: {
        tagmatch: arg.text('Tags to print: a glob, or a regular expression', { default: '*' }),
        count: arg.any('Number of events after which to end: a number, or text of one; -1 for no end', { default: -1 }),
        quiet: arg.flag('Print nothing', { default: false }),
        sock_dir: arg.text('Directory of the sockets of the minion', { optional: true }),
        pretty: arg.flag('Print the data on several lines', { default: false }),
        node: arg.text('Daemon whose events are printed: minion', { default: 'minion' }),
      },
      returns: ret.any('None, or the events'),
      examples: ['salt-call --local state.event pretty=True', "salt 'web1' state.event 'my/tag' count=1"],
      run: watchMinionEvents,
    }),
    show_top: show(
      'Return the SLS files that the top file assigns to this minion.',
      'SLS names by environment',
      showTop,
    ),
    show_highstate: show('Return the high data of the highstate.', 'High data', showHighstate),
    show_lowstate: show('Return the ordered low chunks of the highstate.', 'Low chunks', showLowstate),
    show_states: show('Return the SLS files of the highstate in the order of their use.', 'SLS names', showStates),
    show_state_usage: show(
      'Return which SLS files the highstate uses and which it does not.',
      'Names and counts',
      showUsage,
    ),
    show_sls: showOf('Return the high data of SLS files.', 'High data', showSls),
    show_low_sls: showOf('Return the ordered low chunks of SLS files.', 'Low chunks', showLowSls),
    graph: showOf('Return the requisites of SLS files as a graph in DOT format.', 'Graph', graphSls),
    graph_highstate: show('Return the requisites of the highstate as a graph in DOT format.', 'Graph', graphHighstate),
    sls_exists: showOf(
      'Return whether SLS files exist and can be rendered.',
      'Whether all of them do',
      async (ctx, mods, args) => {
        return (await showSls(ctx, mods, args)) instanceof Map
      },
    ),
    id_exists: reads({
      doc: 'Return whether SLS files define all of these IDs.',
      args: { ids: arg.words('State IDs: a list, or text with commas'), mods, test, queue, kwargs },
      returns: ret.boolean('Whether all IDs are defined'),
      run: (ctx, { ids, mods, ...args }) => idExists(ctx, ids, mods, args),
    }),
    explain: reads({
      doc: 'Explain why the states of an ID would run or not: the results of their requisites, and their file and line.',
      args: {
        id_: arg.text('State ID'),
        mods: modsOrHighstate,
        queue,
        kwargs,
      },
      returns: ret.list('One entry for each state of the ID'),
      example: 'state.explain my_state my_module',
      run: (ctx, { id_, mods, ...args }) => explainId(ctx, id_, mods, args),
    }),
    request: changes({
      doc: 'Save a request to apply states for a local administrator, and return what a dry run of them gives.',
      args: { mods: modsOrHighstate, kwargs },
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
      doc: 'Return the saved requests.',
      args: { name: arg.text('Name of a request. Default: all requests', { optional: true }) },
      returns: ret.dict('Requests by name, or the named request'),
      outputter: 'highstate',
      run: (ctx, { name }) => readRequest(ctx, name),
    }),
    clear_request: changes({
      doc: 'Remove one saved request, or all of them.',
      args: { name: arg.text('Name of a request. Default: all requests', { optional: true }) },
      returns: ret.boolean('False if no request has this name'),
      run: (ctx, { name }) => clearRequest(ctx, name),
    }),
    run_request: changes({
      doc: 'Apply the states of a saved request.',
      args: { name: arg.string('Name of the request', { default: 'default' }), kwargs },
      returns: results,
      outputter: 'highstate',
      run: (ctx, { name, kwargs }) => runRequest(ctx, name, kwargs),
    }),
    disable: changes({
      doc: 'Disable SLS files, state functions or the highstate.',
      args: { states: arg.words('SLS names, functions or `highstate`: a list, or text with commas') },
      returns: ret.dict('`res`, and `msg` with one line for each name'),
      example: 'state.disable highstate',
      run: (ctx, { states }) => changeDisabled(ctx, states, 'disabled'),
    }),
    enable: changes({
      doc: 'Enable SLS files, state functions or the highstate again.',
      args: { states: arg.words('SLS names, functions or `highstate`: a list, or text with commas') },
      returns: ret.dict('`res`, and `msg` with one line for each name'),
      run: (ctx, { states }) => changeDisabled(ctx, states, 'enabled'),
    }),
    list_disabled: reads({
      doc: 'Return the disabled SLS files and functions.',
      returns: ret.any('Names; an empty text if there are none'),
      run: (ctx) => ctx.call('grains.get', ['state_runs_disabled']),
    }),
    pause: changes({
      doc: 'Pause a state run at an ID.',
      args: { ...byJob, duration: arg.count('Seconds. Default: until `state.resume`', { optional: true }) },
      run: (ctx, { jid, state_id, duration }) =>
        duration ? note(ctx, jid, state_id, 'duration', duration) : note(ctx, jid, state_id),
    }),
    resume: changes({
      doc: 'Resume a paused state run.',
      args: byJob,
      run: (ctx, { jid, state_id }) => resume(ctx, jid, state_id),
    }),
    soft_kill: changes({
      doc: 'End a state run before an ID.',
      args: byJob,
      run: (ctx, { jid, state_id }) => note(ctx, jid, state_id, 'kill', true),
    }),
    get_pauses: reads({
      doc: 'Return the paused state runs.',
      args: { jid: arg.words('Job ids: a list, or text with commas. Default: all', { optional: true }) },
      returns: ret.dict('Pauses by job id'),
      run: (ctx, { jid }) => listPauses(ctx, jid),
    }),
    clear_cache: changes({
      doc: 'Remove the high data cached for `cache=True`.',
      returns: ret.texts('Removed files'),
      run: clearCache,
    }),
  }),
})
