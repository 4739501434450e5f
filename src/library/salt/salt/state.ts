// Steps of an orchestration: states and functions on minions, runner and wheel functions, and waits for events. They run
// on the machine of the master and call functions of `saltutil`.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { functionArgs, stateArgs, waitArgs } from './state/arguments.ts'
import { runFunction } from './state/function.ts'
import { runOne, runSeveral } from './state/runs.ts'
import { runState } from './state/state.ts'
import { waitForEvent } from './state/wait.ts'

export default defineState({
  name: 'saltmod',
  virtual: 'salt',
  doc: 'Run the steps of an orchestration.',
  functions: {
    state: state({
      doc: 'Apply states on minions.',
      args: stateArgs,
      examples: ["salt-run state.orchestrate_single fun=salt.state name=web tgt='web*' sls=nginx"],
      run: runState,
    }),
    function: state({
      doc: 'Run a function on minions.',
      args: functionArgs,
      examples: ["salt-run state.orchestrate_single fun=salt.function name=test.ping tgt='*'"],
      run: runFunction,
    }),
    wait_for_event: state({
      doc: 'Wait until an event was seen for each id of a list.',
      args: waitArgs,
      run: waitForEvent,
    }),
    runner: state({
      doc: 'Call a runner function.',
      args: { name: arg.string('Function'), kwargs: arg.open('Arguments of the function') },
      examples: ['salt-run state.orchestrate_single fun=salt.runner name=manage.up'],
      run: (ctx, { name, kwargs }) => runOne(ctx, 'runner', name, kwargs),
    }),
    parallel_runners: state({
      doc: 'Call several runner functions at once.',
      args: {
        name: stateArgs.name,
        runners: arg.any('Dict of options (`name`, `kwarg`) by ID, or one runner function'),
        kwargs: arg.ignored(),
      },
      run: (ctx, { name, runners }) => runSeveral(ctx, name, runners),
    }),
    wheel: state({
      doc: 'Call a wheel function.',
      args: { name: arg.string('Function'), kwargs: arg.open('Arguments of the function') },
      examples: ['salt-run state.orchestrate_single fun=salt.wheel name=key.list_all'],
      run: (ctx, { name, kwargs }) => runOne(ctx, 'wheel', name, kwargs),
    }),
  },
})
