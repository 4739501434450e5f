// Users' files in TypeScript and JavaScript, for rooms that only know Python: the room that can run them registers
// itself here.
import type { Dict, Value } from '../data/mod.ts'
import type { ModuleFile } from './folders.ts'
import type { Scope } from './scope.ts'

export interface NativeCall {
  file: ModuleFile
  fun: string
  args: readonly Value[]
  kwargs: Dict
}

type NativeCaller = (scope: Scope, call: NativeCall) => Promise<Value>

let caller: NativeCaller | undefined

export function callNativeBy(own: NativeCaller): void {
  caller = own
}

export function callNative(scope: Scope, call: NativeCall): Promise<Value> {
  if (!caller) throw new Error(`Nothing here runs ${call.file.path}`)
  return caller(scope, call)
}
