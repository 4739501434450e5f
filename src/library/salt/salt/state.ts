// Steps of an orchestration: states and functions on minions, runner and wheel functions, and waiting for events. They run
// beside the master, which they reach through functions of `saltutil`.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { runFunction } from './state/function.ts'
import { runOne, runSeveral } from './state/runs.ts'
import { runState } from './state/state.ts'
import { waitForEvent } from './state/wait.ts'

const name = arg.string('The name of the step')
const optional = (doc: string) => arg.any(doc, { optional: true })

/** Where a step is published to. */
const target = {
  tgt: arg.any('Which minions'),
  ssh: arg.any('Over SSH', { default: false }),
  tgt_type: arg.any('The form of the target', { default: 'glob' }),
  ret: arg.any('Returners', { default: '' }),
  ret_config: optional('The configuration of the returners'),
  ret_kwargs: optional('Further arguments of the returners'),
}

export default defineState({
  name: 'saltmod',
  virtual: 'salt',
  doc: 'Steps of an orchestration.',
  functions: {
    state: state({
      doc: 'Apply states to minions.',
      args: {
        name,
        ...target,
        highstate: arg.flag('Apply the highstate', { optional: true }),
        sls: optional('SLS files, as a list or with commas'),
        top: optional('Another top file'),
        saltenv: optional('The environment of the files'),
        test: optional('Predict in place of changing'),
        pillar: optional('Laid over the pillar of each minion'),
        pillarenv: optional('The environment of the pillar'),
        expect_minions: arg.flag('Whether a minion that does not answer has failed', { default: true }),
        exclude: optional('IDs and SLS names to leave out'),
        fail_minions: optional('Minions that may fail, or the share of all that may, as `5%`'),
        allow_fail: arg.any('How many minions may fail', { default: 0 }),
        concurrent: arg.any('Beside other state runs of a minion', { default: false }),
        timeout: optional('Seconds to wait'),
        batch: optional('How many minions at once, or which share of them'),
        queue: arg.any('After other state runs of a minion', { default: false }),
        subset: optional('Only so many minions, chosen by chance'),
        orchestration_jid: optional('The orchestration it belongs to'),
        failhard: optional('End the orchestration when it fails'),
        kwargs: arg.open('`roster` among them'),
      },
      examples: ["salt-run state.orchestrate_single fun=salt.state name=web tgt='web*' sls=nginx"],
      run: (ctx, step) => runState(ctx, step),
    }),
    function: state({
      doc: 'Have minions run a function.',
      args: {
        name,
        ...target,
        expect_minions: arg.flag('Whether a minion that does not answer has failed', { default: false }),
        fail_minions: optional('Minions that may fail, or the share of all that may, as `5%`'),
        fail_function: arg.text('A function that says whether an answer is a good one', { optional: true }),
        arg: optional('Arguments'),
        kwarg: optional('Keyword arguments'),
        timeout: optional('Seconds to wait'),
        batch: optional('How many minions at once, or which share of them'),
        subset: optional('Only so many minions, chosen by chance'),
        failhard: optional('End the orchestration when it fails'),
        kwargs: arg.open('`roster` among them'),
      },
      examples: ["salt-run state.orchestrate_single fun=salt.function name=test.ping tgt='*'"],
      run: (ctx, step) => runFunction(ctx, step),
    }),
    wait_for_event: state({
      doc: 'Wait until each of some ids was seen in an event.',
      args: {
        name: arg.string('The tag, or a glob'),
        id_list: arg.any('The ids'),
        event_id: arg.any('The key that has the id', { default: 'id' }),
        timeout: arg.any('Seconds to wait', { default: 300 }),
        node: arg.any('Whose events', { default: 'master' }),
      },
      run: (ctx, step) => waitForEvent(ctx, step),
    }),
    runner: state({
      doc: 'Call a runner function.',
      args: { name: arg.string('The function'), kwargs: arg.open('Its arguments') },
      examples: ['salt-run state.orchestrate_single fun=salt.runner name=manage.up'],
      run: (ctx, { name, kwargs }) => runOne(ctx, 'runner', name, kwargs),
    }),
    parallel_runners: state({
      doc: 'Call several runner functions at once.',
      args: { name, runners: arg.any('Name and keywords of each, by ID'), kwargs: arg.ignored() },
      run: (ctx, { name, runners }) => runSeveral(ctx, name, runners),
    }),
    wheel: state({
      doc: 'Call a wheel function.',
      args: { name: arg.string('The function'), kwargs: arg.open('Its arguments') },
      examples: ['salt-run state.orchestrate_single fun=salt.wheel name=key.list_all'],
      run: (ctx, { name, kwargs }) => runOne(ctx, 'wheel', name, kwargs),
    }),
  },
})
