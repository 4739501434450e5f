export type { XmlElement } from './element.ts'
export { parseXml } from './parse.ts'
export { prettyXml, xmlLine } from './write.ts'
