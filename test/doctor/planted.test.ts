// Trees with planted faults: the doctor finds all of them, and nothing else.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { PlantedSite, readPlanted } from './planted-site.ts'

const folder = join(import.meta.dirname, 'trees')
const names = readdirSync(folder).map((file) => file.replace(/[.]yaml$/, ''))

describe('the doctor', () => {
  let site: PlantedSite
  afterEach(() => site.remove())

  test.each(names)('finds all planted faults and no others: %s', async (name) => {
    site = new PlantedSite()
    const { files, expects } = readPlanted(join(folder, `${name}.yaml`))
    site.write(files)
    const found = await site.examined()
    const shown = found.map((one) => site.shown(one))
    expect([...shown].sort(), JSON.stringify(found, null, 1)).toEqual([...expects].sort())
  })
})
