// Find an engine by name: a user's own engine before a built-in one. A built-in engine is imported at first use.
import { didYouMean } from '../base/mod.ts'
import { engineTable } from '../loader/mod.ts'
import type { EngineContext, EngineDeclaration } from '../sdk/mod.ts'

/** Users' own engines by name, found in their folders. */
export type UserEngines = (ctx: EngineContext, wanted: string) => Promise<ReadonlyMap<string, EngineDeclaration>>

/** Return the engine, or the reason why it does not exist. */
export async function findEngine(
  module: string,
  ctx: EngineContext,
  userEngines: UserEngines,
): Promise<EngineDeclaration | string> {
  const own = await userEngines(ctx, module)
  const found = own.get(module) ?? (await builtIn(module))
  if (found === undefined) {
    const hint = didYouMean(module, [...own.keys(), ...Object.keys(engineTable)])
    return `there is no engine '${module}'${hint === undefined ? '' : `. ${hint}`}`
  }
  const serves = (await found.when?.(ctx)) ?? true
  return serves === true ? found : serves
}

async function builtIn(module: string): Promise<EngineDeclaration | undefined> {
  return Object.hasOwn(engineTable, module) ? (await engineTable[module]!()).default : undefined
}
