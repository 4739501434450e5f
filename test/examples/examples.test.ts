import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/render.ts'

// recorded from Salt 3008.2 rendering the same tree
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'shop.json'), 'utf8'))
const tree = join(import.meta.dirname, '../../examples/tree')
const scratch = mkdtempSync(join(tmpdir(), 'brine-example-'))
const shared = ['--grains', join(tree, 'grains.yaml'), '--file-root', join(tree, 'salt')]
const pillar = join(tree, 'pillar', 'shop.sls')

async function render(...argv: string[]): Promise<string> {
  let out = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text
    return true
  })
  expect(await run([...argv, ...shared])).toBe(0)
  return out
}

afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(scratch, { recursive: true }))

describe('the sample tree', () => {
  test('has the pillar that Salt makes of it', async () => {
    const text = await render(pillar, '--out', 'json')
    expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(recorded.pillar))
  })

  test('has the states that Salt makes of it, in their order', async () => {
    const text = await render(join(tree, 'salt', 'shop', 'init.sls'), '--pillar', pillar, '--out', 'json')
    expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(recorded.shop))
  })

  test.each(Object.keys(recorded.files))('has the %s that Salt makes of it', async (name) => {
    const settings = Object.assign({}, ...recorded.shop[name]['file.managed'])
    const context = join(scratch, 'context.json')
    writeFileSync(context, JSON.stringify(settings.context))
    const source = settings.source.replace('salt:/', join(tree, 'salt'))
    expect(await render(source, '--renderer', 'jinja', '--context', context)).toBe(recorded.files[name])
  })
})
