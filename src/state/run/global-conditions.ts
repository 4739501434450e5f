// The option `global_state_conditions`: states that may run only where a target matches.
import { type Dict, isList, str, truthy, type Value } from '../../data/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import { resultDict } from './surroundings.ts'

export class GlobalConditions {
  private readonly functions: Registry
  private conditions: Dict | undefined

  constructor(functions: Registry) {
    this.functions = functions
  }

  /** Return the result of a state that is not permitted here. */
  refusal(full: string, module: string, name: Value): Promise<Dict | undefined> | undefined {
    return this.conditions?.size === 0 ? undefined : this.judge(full, module, name)
  }

  private async judge(full: string, module: string, name: Value): Promise<Dict | undefined> {
    this.conditions ??= await this.read()
    const asked: Value[] = []
    for (const [pattern, conditions] of this.conditions) {
      if (pattern !== '*' && pattern !== full && pattern !== module) continue
      if (typeof conditions === 'string') asked.push(conditions)
      else if (isList(conditions)) asked.push(...conditions)
    }
    if (asked.length === 0) return undefined
    for (const condition of asked) {
      if (truthy(await this.functions.call('match.compound', [str(condition)]))) return undefined
    }
    return resultDict([
      ['name', name],
      ['comment', 'Failed to meet global state conditions. State not called.'],
      ['changes', new Map()],
      ['result', null],
    ])
  }

  private async read(): Promise<Dict> {
    const option = await this.functions.call('config.option', ['global_state_conditions'])
    return option instanceof Map ? option : new Map()
  }
}
