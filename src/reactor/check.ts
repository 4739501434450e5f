// A look at the rules when the master starts, so that a missing file or a function that does not exist is told of before the
// event comes that needs it. Templates are not rendered: what their lines say is read as it is written.
import { readFileSync } from 'node:fs'
import { globFiles } from '../config/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import type { MasterContext } from '../sdk/mod.ts'
import type { Declared } from './calls.ts'
import { type Rule, Rules } from './rules.ts'

const CALL = /^\s+(runner|wheel)\.([\w.]+):/

export async function checkRules(ctx: MasterContext, declared: Declared): Promise<string[]> {
  const problems: string[] = []
  for (const rule of new Rules(ctx.opts, ctx.log).all()) {
    for (const reference of rule.files) problems.push(...(await checkFile(ctx, rule, reference, declared)))
  }
  return problems
}

async function checkFile(ctx: MasterContext, { pattern }: Rule, reference: string, declared: Declared) {
  const local = reference.startsWith('salt://') ? await ctx.files.fetch(reference, { saltenv: 'base' }) : reference
  const files = local === false ? [] : globFiles(local)
  if (files.length === 0) return [`The reactor for '${pattern}' names ${reference}, which does not exist`]
  const problems: string[] = []
  for (const file of files) {
    for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      const [, kind, fun] = CALL.exec(line) ?? []
      if (fun === undefined || (await declared(kind as 'runner' | 'wheel', fun))) continue
      problems.push(`${file}:${index + 1}: there is no ${kind} function '${fun}' (reactor for '${pattern}')`)
    }
  }
  return problems
}

/** Whether there is anything to react with. */
export const hasRules = (opts: Dict): boolean => {
  const reactor = opts.get('reactor') ?? null
  return Array.isArray(reactor) ? reactor.length > 0 : typeof reactor === 'string' && str(reactor) !== ''
}
