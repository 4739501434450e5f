// Schemas that several resources share, and the limits of input.
import { z } from '@hono/zod-openapi'
import { isJid } from '../../base/mod.ts'
import { isValidId } from '../../wire/mod.ts'
import { BadFields } from './problems.ts'

const CONTROL = /\p{Cc}/u

/** A text of one line. */
export const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !CONTROL.test(text), 'must not have control characters')

export const MinionId = line(255)
  .refine(isValidId, 'is no minion id')
  .openapi({ description: 'The id of a minion', example: 'web1' })

export const Jid = z
  .string()
  .max(64)
  .refine(isJid, 'is no job id')
  .openapi({ description: 'The id of a job', example: '20261116165432123456' })

export const FunctionName = z
  .string()
  .max(200)
  .regex(/^\w+\.\w+$/, 'is no name of a function, such as test.ping')
  .openapi({ description: 'The name of a function', example: 'test.ping' })

/** The kinds of targets. */
export const TargetType = z.enum([
  'glob',
  'pcre',
  'list',
  'grain',
  'grain_pcre',
  'pillar',
  'pillar_exact',
  'pillar_pcre',
  'nodegroup',
  'ipcidr',
  'compound',
  'range',
])

const MOST_STARS = 3

/** Schema of a glob with few stars: many stars take long to match. */
export const globShape = (most: number) =>
  line(most).refine((text) => text.split('*').length - 1 <= MOST_STARS, `has more than ${MOST_STARS} stars`)

export const timeShape = z.iso
  .datetime({ offset: true })
  .openapi({ description: 'A time of ISO 8601', example: '2026-11-16T16:54:32Z' })

export const Time = z.string().openapi({ format: 'date-time', example: '2026-11-16T16:54:32.123Z' })

/** Any value of JSON. */
export const Any = z.unknown().openapi({ description: 'Any value of JSON' })

const MOST_ITEMS = 1000

/** Schema of the page size that the caller requests. */
export const limitOf = (most: number, usual: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).openapi({ description: 'Most items of a page' })

/** Pagination of lists. */
export const paging = {
  limit: limitOf(MOST_ITEMS, 100),
  cursor: z
    .string()
    .max(1000)
    .regex(/^[\w-]*$/, 'is no cursor')
    .optional()
    .openapi({ description: '`next` of the page before' }),
}

/** A page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().openapi({ description: 'The cursor of the next page; null at the end' }),
  })

/** Write the place where a page ends. */
export const cursorOf = (place: readonly string[]): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** Read a cursor that `cursorOf` wrote with so many parts. */
export function placeShape(cursor: string | undefined, parts: number): string[] | undefined {
  if (cursor === undefined || cursor === '') return undefined
  let place: unknown
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    // not a valid cursor: refused below
    place = undefined
  }
  if (!Array.isArray(place) || place.length !== parts || !place.every((part) => typeof part === 'string')) {
    throw new BadFields([{ field: 'cursor', reason: 'is no cursor of this list' }])
  }
  return place as string[]
}

/** The answer of a route, as JSON. */
export const answer = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

/** The body of a request, as JSON. */
export const body = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { 'application/json': { schema } },
})
