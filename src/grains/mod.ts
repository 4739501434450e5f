// Grains: facts about a machine, and the user's own grains.
export { collectGrains, type GrainsInput } from './collect.ts'
export { distributionGrains, releaseGrains } from './distribution.ts'
export { Machine } from './machine.ts'
export { osGrains } from './os-data.ts'
export { namesFromOsRelease, parseOsRelease } from './os-release.ts'
export { windowsGrainsFrom } from './windows.ts'
