// The error of a user's module that cannot be loaded.
import { BrineError } from '../base/mod.ts'

/** A user's module in TypeScript or JavaScript that cannot be loaded, with the line that is wrong. */
export class NativeModuleError extends BrineError<'ModuleBroken'> {
  constructor(path: string, line: number, why: string, cause?: unknown) {
    super('ModuleBroken', `Cannot load ${path}, line ${line}: ${why}`, { cause, at: { file: path, line } })
    this.name = 'NativeModuleError'
  }
}
