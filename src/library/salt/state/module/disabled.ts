// Disabled SLS files and functions, listed in the grain `state_runs_disabled`.
import { str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

const GRAIN = 'state_runs_disabled'

async function disabledNames(ctx: FunctionContext): Promise<Value[]> {
  const names = await ctx.call('grains.get', [GRAIN])
  return Array.isArray(names) ? [...names] : []
}

/** Return one sentence for each of the wanted names that is disabled. */
export async function disabledTexts(ctx: FunctionContext, wanted: readonly Value[]): Promise<string[]> {
  const disabled = (await disabledNames(ctx)).map(str)
  const texts: string[] = []
  for (const sls of wanted.map(str)) {
    for (const name of disabled) {
      if (name.includes('.*')) {
        if (sls.startsWith(`${name.split('.')[0]}.`)) {
          texts.push(
            `The state file "${sls}" is currently disabled by "${name}", to re-enable, run state.enable ${name}.`,
          )
        }
      } else if (name === sls) {
        texts.push(`The state file "${name}" is currently disabled, to re-enable, run state.enable ${name}.`)
      }
    }
  }
  return texts
}

/** Disable names, or enable them again. */
export async function changeDisabled(ctx: FunctionContext, states: readonly string[], verb: 'enabled' | 'disabled') {
  const names = await disabledNames(ctx)
  const isDisabling = verb === 'disabled'
  const messages: string[] = []
  let isChanged = false
  for (const state of states.map((name) => name.trim())) {
    const at = names.indexOf(state)
    if (at >= 0 === isDisabling) {
      messages.push(`Info: ${state} state already ${verb}.`)
      continue
    }
    messages.push(`Info: ${state} state ${verb}.`)
    if (isDisabling) names.push(state)
    else names.splice(at, 1)
    isChanged = true
  }
  if (isChanged) await ctx.call('grains.setval', [GRAIN, names])
  if (ctx.has('saltutil.refresh_modules')) await ctx.call('saltutil.refresh_modules')
  return { res: true, msg: messages.join('\n') }
}
