// One test of saltcheck: a function is called and its answer judged. A test that is not well formed fails without a call.
import {
  type Dict,
  dumpJson,
  Float,
  isDict,
  isList,
  iterate,
  round,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { ASSERTIONS, expectedOf, judge } from './assertions.ts'

/** Runs states that prepare other tests, and needs no assertion. */
const PREPARATION = 'saltcheck.state_apply'

export async function runTest(ctx: FunctionContext, test: Dict): Promise<Dict> {
  const start = ctx.host.now()
  const detailed = truthy(
    test.get('output_details') ?? (await ctx.call('config.get', ['saltcheck_output_details', false])),
  )
  const isValid = await isSound(ctx, test)
  if (isValid && truthy(test.get('skip') ?? false)) {
    return new Map<Value, Value>([['status', 'Skip']]).set('duration', new Float(0))
  }
  const result: Dict = isValid ? await judged(ctx, test, detailed) : new Map([['status', 'Fail - invalid test']])
  return result.set('duration', seconds(ctx.host.now() - start))
}

export const seconds = (value: number): Value => round(new Float(value), 4)

async function isSound(ctx: FunctionContext, test: Dict): Promise<boolean> {
  const called = test.get('module_and_function') ?? null
  if (called === PREPARATION) return true
  const groups = groupsOf(test)
  // of several assertions the last one decides
  let isValid = (groups ?? [test]).map((group) => isDict(group) && hasAssertion(ctx, group)).at(-1) ?? true
  if (!truthy(called)) {
    ctx.log('error', 'Saltcheck: missing module_and_function')
    return false
  }
  if (!(await ctx.serves(str(called)))) {
    ctx.log('error', `Saltcheck: ${str(called)} is not a valid function`)
    isValid = false
  }
  return isValid
}

function groupsOf(test: Dict): Value[] | undefined {
  const groups = test.get('assertions') ?? null
  return isList(groups) && groups.length > 0 ? groups : undefined
}

function hasAssertion(ctx: FunctionContext, group: Dict): boolean {
  const name = str(group.get('assertion') ?? null)
  const rule = ASSERTIONS[name]
  if (!rule) ctx.log('error', `Saltcheck: ${name} is not in the assertions list`)
  const lacks = !rule?.alone && expectedOf(group) === null
  if (lacks) ctx.log('error', 'Saltcheck: expected_return missing a value')
  return rule !== undefined && !lacks
}

async function judged(ctx: FunctionContext, test: Dict, detailed: boolean): Promise<Dict> {
  const called = str(test.get('module_and_function')!)
  const answer = await answerOf(ctx, called, test)
  const shown = truthy(test.get('print_result') ?? true)
  const one = (group: Dict): Dict => {
    const assertion = called === PREPARATION ? 'assertNotEmpty' : str(group.get('assertion') ?? null)
    const { status, text, section } = judge(assertion, group, answer, shown)
    const result: Dict = new Map([['status', status]])
    if (!detailed) return result
    const [title, value] = truthy(section) ? [' assertion_section', ` ${str(section)}`] : ['', '']
    result.set(
      `module.function [args]${title}`,
      `${called} ${dumpJson(test.get('args') ?? null, { ensureAscii: false })}${value}`,
    )
    return result.set('saltcheck assertion', text)
  }
  const groups = groupsOf(test)
  if (!groups) return one(test)
  const results = groups.map((group) => one(group as Dict))
  const all: Dict = new Map(results.map((result, index) => [`assertion${index + 1}`, result]))
  return all.set('status', results.every((result) => result.get('status') === 'Pass') ? 'Pass' : 'Fail')
}

function answerOf(ctx: FunctionContext, called: string, test: Dict): Value | Promise<Value> {
  const args = test.get('args') ?? null
  const kwargs = test.get('kwargs') ?? null
  const named = new Map(isDict(kwargs) ? [...kwargs].map(([key, value]): [string, Value] => [str(key), value]) : [])
  const pillar = test.get('pillar_data') ?? test.get('pillar-data') ?? null
  if (truthy(pillar)) named.set('pillar', pillar)
  else named.delete('pillar')
  return ctx.call(called, truthy(args) ? [...iterate(args)] : [], named)
}
