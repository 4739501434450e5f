// Replacements for renderers that run code, decrypt, or ask the machine: their result is unknown, and a finding notes that.
import { performance } from 'node:perf_hooks'
import { native } from '../../jinja/mod.ts'
import { type FilterHost, hostFilters, jinjaRenderer, type Renderer, saltDialect } from '../../render/mod.ts'
import type { Unevaluated } from './unevaluated.ts'

const PYTHON = ['py', 'pydsl', 'pyobjects', 'mako']
const DECRYPTING = ['gpg', 'nacl']
/** Filters that use the machine, but whose result does not depend on it. */
const HARMLESS_FILTERS = /^(random|rand_|strftime|date_format|uuid|gen_)/

export interface RenderWatch {
  /** A template was rendered, or failed; whether its outcome depends on something that was not evaluated. */
  rendered?(file: string, ms: number, isDoubtful: boolean): void
}

/** The renderers for a tree under test; `own` are renderers of the site itself. */
export function dryRenderers(
  unevaluated: Unevaluated,
  watch: RenderWatch = {},
  own: readonly string[] = [],
): Renderer[] {
  const dialect = dryDialect(unevaluated)
  const jinja: Renderer = {
    name: 'jinja',
    render: async (input, args, ctx) => {
      const [began, before] = [performance.now(), unevaluated.count]
      try {
        return await jinjaRenderer.render(input, args, { ...ctx, dialect })
      } finally {
        watch.rendered?.(ctx.path ?? '', performance.now() - began, unevaluated.count !== before)
      }
    },
  }
  const skipped = [...PYTHON, ...own].map(
    (name): Renderer => ({
      name,
      render: (_input, _args, ctx) => {
        unevaluated.note(`the renderer ${name}`)
        watch.rendered?.(ctx.path ?? '', 0, true)
        return { value: new Map() }
      },
    }),
  )
  const passing = DECRYPTING.map((name): Renderer => ({ name, render: (value) => ({ value }) }))
  return [jinja, ...skipped, ...passing]
}

function dryDialect(unevaluated: Unevaluated) {
  const filters = [...hostFilters({} as FilterHost).keys()].filter((name) => !HARMLESS_FILTERS.test(name))
  const refused = filters.map(
    (name) =>
      [
        name,
        native(name, ['value', '*args', '**kwargs'], () => unevaluated.placeholder(`the filter ${name}`)),
      ] as const,
  )
  return { ...saltDialect, filters: new Map([...saltDialect.filters, ...refused]) }
}
