// Templates of commands: `/v1/templates`. They come from the option `saltgui_templates`, which the web interface
// SaltGUI reads too.
import { createRoute, z } from '@hono/zod-openapi'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { refusals } from './problems.ts'
import { answer, pageOf } from './shapes.ts'

const MOST_TEMPLATES = 1000
const LONGEST = 10_000

const Template = z
  .object({
    name: z.string(),
    description: z.string(),
    targetType: z.string().openapi({ example: 'glob' }),
    target: z.string(),
    command: z.string().openapi({
      description:
        'The function and its arguments, as on the command line. `runners.` and `wheel.` before the name mean functions of the master',
      example: 'test.fib num=10',
    }),
    categories: z.array(z.string()),
    key: z.string().nullable().openapi({ description: 'The key that a web interface may bind the template to' }),
  })
  .openapi('Template')

const list = createRoute({
  method: 'get',
  path: '/v1/templates',
  operationId: 'listTemplates',
  summary: 'List templates of commands',
  description:
    'The option `saltgui_templates` of the master, by name. Every caller with a session may read it; the rights of the caller count when a command runs.',
  tags: ['Functions'],
  responses: { 200: answer(pageOf(Template).openapi('TemplateList'), 'All templates'), ...refusals(401) },
})

const text = (value: Value | undefined): string =>
  value === undefined || value === null || isDict(value) || isList(value) ? '' : str(value).slice(0, LONGEST)

const texts = (value: Value | undefined): string[] => (isList(value ?? null) ? (value as Value[]) : [value]).map(text)

function templateOf(name: Value, entry: Dict): z.infer<typeof Template> {
  const target = entry.get('target')
  return {
    name: text(name),
    description: text(entry.get('description')),
    targetType: text(entry.get('targettype')) || 'glob',
    target: isList(target ?? null) ? texts(target).join(',') : text(target),
    command: text(entry.get('command')),
    categories: [...texts(entry.get('category')), ...texts(entry.get('categories'))].filter((each) => each !== ''),
    key: text(entry.get('key')) || null,
  }
}

export function addTemplateRoutes(site: V1App, { master }: ApiService): void {
  site.openapi(list, (c) => {
    const given: Value = master.access.opts.get('saltgui_templates') ?? null
    const items = [...(isDict(given) ? given : new Map<Value, Value>())]
      .slice(0, MOST_TEMPLATES)
      .flatMap(([name, entry]) => (isDict(entry) ? [templateOf(name, entry)] : []))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    return c.json({ items, next: null }, 200)
  })
}
