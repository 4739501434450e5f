// The types that the package publishes as `brine/sdk`: the output of `brine new` compiles with them, and an error is
// reported.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { TEMPLATES } from '../../src/cli/new-module/templates.ts'
import { run } from '../../src/cli/new-module.ts'
import { emitTypes } from '../../tools/build/sdk.ts'

const ROOT = join(import.meta.dirname, '../..')
const site = mkdtempSync(join(tmpdir(), 'brine-types-'))

beforeAll(async () => {
  const brine = join(site, 'node_modules', 'brine')
  mkdirSync(join(brine, 'dist'), { recursive: true })
  copyFileSync(join(ROOT, 'package.json'), join(brine, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(site, 'node_modules', '@types'))
  emitTypes(ROOT, join(brine, 'dist', 'types'))
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  for (const kind of Object.keys(TEMPLATES)) expect(await run([kind, 'mine', site])).toBe(0)
  out.mockRestore()
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] }
  writeFileSync(join(site, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['_*/*.ts'] }))
})
afterAll(() => rmSync(site, { recursive: true, force: true }))

const checked = (): string =>
  spawnSync(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', site], { encoding: 'utf8' }).stdout

describe('the types of brine/sdk', () => {
  test('agree with what brine new writes', () => {
    expect(checked()).toBe('')
  })

  test('know the arguments of a function', () => {
    writeFileSync(
      join(site, '_modules', 'wrong.ts'),
      `import { arg, defineModule, reads } from 'brine/sdk'
export default defineModule({
  name: 'wrong',
  doc: '',
  functions: {
    add: reads({ doc: '', args: { n: arg.integer('') }, run: (ctx, { n }) => n.toUpperCase() + ctx.nothing }),
  },
})
`,
    )
    expect(checked()).toMatch(/toUpperCase[\s\S]*nothing/)
  })
})
