export { YamlError, type YamlErrorCode } from './errors.ts'
export { type LoadOptions, load } from './load.ts'
export { inheritPositions, positionOf, type TextPosition } from './positions.ts'
export { renderYaml } from './render.ts'
