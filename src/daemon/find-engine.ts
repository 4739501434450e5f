// The engine that a name means: a user's own before one of this package, which is imported when it is asked for.
import { didYouMean } from '../base/mod.ts'
import { engineTable } from '../loader/mod.ts'
import type { EngineContext, EngineDeclaration } from '../sdk/mod.ts'

/** Users' own engines by name, as a look at their folders finds them. */
export type UserEngines = (ctx: EngineContext, wanted: string) => Promise<ReadonlyMap<string, EngineDeclaration>>

/** The engine, or why there is none. */
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
