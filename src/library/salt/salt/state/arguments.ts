// The arguments of the steps that publish jobs or wait for events.
import { arg, type Bound } from '../../../../sdk/mod.ts'

const name = arg.string('Name of the step')
const timeout = arg.any('Seconds to wait: a number; other types are ignored', { optional: true })
const batch = arg.text('Number of minions at once, or a share such as `10%`', { optional: true })
const subset = arg.count('Number of minions, chosen at random', { optional: true })
const failhard = arg.any('Whether a failure ends the orchestration: only True means yes', { optional: true })
const fail_minions = arg.any('Minions that may fail: a list, or text with commas; `5%` is a share of all minions', {
  optional: true,
})
const kwargs = arg.open('`roster`; other keywords are ignored')

const target = {
  tgt: arg.textOrList('Target: text, or a list of minion ids'),
  ssh: arg.flag('Use salt-ssh', { default: false }),
  tgt_type: arg.text('Kind of the target', { default: 'glob' }),
  ret: arg.any('Returner, or a list of returners', { default: '' }),
  ret_config: arg.any('Configuration of the returners, passed on unchanged', { optional: true }),
  ret_kwargs: arg.any('Dict of options of the returners, passed on unchanged', { optional: true }),
}

export const stateArgs = {
  name,
  ...target,
  highstate: arg.flag('Apply the highstate', { optional: true }),
  sls: arg.textOrList('SLS names: a list, or text with commas', { optional: true }),
  top: arg.text('Path of another top file', { optional: true }),
  saltenv: arg.text('Environment of the SLS files', { optional: true }),
  test: arg.any('Dry run, passed on unchanged. Default: the option `test`', { optional: true }),
  pillar: arg.any('Dict merged over the pillar of each minion', { optional: true }),
  pillarenv: arg.text('Environment of the pillar', { optional: true }),
  expect_minions: arg.flag('Whether a minion that does not return has failed', { default: true }),
  exclude: arg.textOrList('IDs and SLS names to leave out: text with commas, or a list', { optional: true }),
  fail_minions,
  allow_fail: arg.textOrNumber('Number of minions that may fail: a number, or text of one', { default: 0 }),
  concurrent: arg.any('Run beside other state runs of a minion: a boolean; other types are refused', {
    default: false,
  }),
  timeout,
  batch,
  queue: arg.any('Wait for other state runs of a minion: a boolean, or the greatest number of them', {
    default: false,
  }),
  subset,
  orchestration_jid: arg.text('Ignored', { optional: true }),
  failhard,
  kwargs,
}

export const functionArgs = {
  name,
  ...target,
  expect_minions: arg.flag('Whether a minion that does not return has failed', { default: false }),
  fail_minions,
  fail_function: arg.text('Function that returns whether a result is a success', { optional: true }),
  arg: arg.any('Arguments: a list; text is split at blanks', { optional: true }),
  kwarg: arg.any('Dict of keyword arguments', { optional: true }),
  timeout,
  batch,
  subset,
  failhard,
  kwargs,
}

export const waitArgs = {
  name: arg.string('Tag of the event, or a glob'),
  id_list: arg.any('Ids of any type to wait for: a list, or one id'),
  event_id: arg.text('Key of the id in the event', { default: 'id' }),
  timeout: arg.number('Seconds to wait', { default: 300 }),
  node: arg.text('Ignored', { default: 'master' }),
}

export type StateStep = Bound<typeof stateArgs>
export type FunctionStep = Bound<typeof functionArgs>
export type WaitStep = Bound<typeof waitArgs>
