// Plain Jinja files, rendered like Jinja2 without Salt's variables: an undefined value is empty, and templates include
// and import files of their own folder. Used by external pillars with their own templates.
import { join } from 'node:path/posix'
import { BrineError } from '../base/mod.ts'
import { type Dict, decodeBytes, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FunctionSource } from '../render/mod.ts'

export interface PlainTemplates {
  /** Render the file at a path. */
  render(path: string, variables?: Readonly<Record<string, Value>>): Promise<string>
}

export interface PlainTemplateRequest {
  host: Host
  opts: Dict
  /** The folder for `include` and `import`. */
  folder: string
  globals: Readonly<Record<string, Value>>
  /** The value of `__salt__` in templates. */
  functions?: FunctionSource | undefined
}

export async function plainTemplates(request: PlainTemplateRequest): Promise<PlainTemplates> {
  const { host, opts, folder, globals, functions } = request
  const { builtinFilters, builtinTests, Environment, saltFilters, saltTests, TemplateFailure } = await import(
    '../jinja/mod.ts'
  )
  const own = functions && new (await import('../render/mod.ts')).SaltFunctions(functions)
  const environment = new Environment({
    dialect: {
      filters: new Map([...builtinFilters, ...saltFilters]),
      tests: new Map([...builtinTests, ...saltTests]),
      waiting: new Set(),
    },
    strict: false,
    opts,
    globals: [...Object.entries(globals), ...(own ? [['__salt__', own] as [string, Value]] : [])],
    loader: {
      load: async (name) => {
        if (name.split('/').includes('..')) return undefined
        const path = join(folder, name)
        if ((await host.stat(path))?.type !== 'file') return undefined
        return { source: decodeBytes(await host.read(path)), path }
      },
    },
  })
  return {
    render: async (path, variables = {}) => {
      try {
        const source = decodeBytes(await host.read(path))
        return (await environment.render(source, new Map(Object.entries(variables)))).text
      } catch (error) {
        if (error instanceof TemplateFailure && error.error instanceof BrineError) throw error.error
        throw error
      }
    },
  }
}
