// The packages installed with the programs: none runs code during the installation.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Package {
  dev?: boolean
  hasInstallScript?: boolean
}

it('no package that the programs need has an install script', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'))
  const packages = Object.entries<Package>(lock.packages).filter(([, { dev }]) => !dev)
  expect(packages.length).toBeGreaterThan(5)
  expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name)).toEqual([])
})
