// Made by tools/plugin-table.ts; run it after a engine was added or removed.
import type { EngineDeclaration } from '../sdk/mod.ts'

export const engineTable: Readonly<Record<string, () => Promise<{ default: EngineDeclaration }>>> = {
  test: () => import('../engines/test.ts'),
}
