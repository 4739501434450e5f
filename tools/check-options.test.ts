import { expect, test } from 'vitest'
import { checkOptions } from './check-options.ts'

const options = {
  cachedir: { type: 'str', both: '/var/cache', doc: '' },
  syndics: { type: 'list', for: ['master'], doc: '' },
  gitfs_root: { type: 'str', both: '', doc: '', later: 'gitfs' },
} as const

const file = (text: string, path = 'src/a/b.ts') => ({ path, text })
const used = file("option(opts, 'cachedir'); opts.get('syndics')")

test('refuses a default beside the table', () => {
  const problem = "has a default of its own for 'cachedir'; read it by option(opts, 'cachedir')"
  for (const literal of ["''", '`/x`', 'null', '5', '[]', 'true', 'new Map()']) {
    expect(checkOptions([used, file(`\n\nstr(this.opts.get('cachedir') ?? ${literal})`)], options)).toEqual([
      `src/a/b.ts:3: ${problem}`,
    ])
  }
  expect(checkOptions([used, file("opts.get('cachedir') ?? computed(); opts.get('own') ?? 5")], options)).toEqual([])
})

test('lets an option without a default be null', () => {
  expect(checkOptions([used, file("opts.get('syndics') ?? null")], options)).toEqual([])
  expect(checkOptions([used, file("opts.get('syndics') ?? []")], options)).toHaveLength(1)
})

test('wants each option read or marked', () => {
  expect(checkOptions([file("option(opts, 'cachedir')")], options)).toEqual([
    "option 'syndics' is read nowhere; mark it later or needless",
  ])
})

test('refuses a mark on what is read, but not for what the configuration checks', () => {
  const read = "option(ctx.opts, 'gitfs_root')"
  expect(checkOptions([used, file(read)], options)).toEqual([
    "option 'gitfs_root' is marked as without effect, but src/a/b.ts reads it",
  ])
  expect(checkOptions([used, file(read, 'src/config/master.ts')], options)).toEqual([])
})
