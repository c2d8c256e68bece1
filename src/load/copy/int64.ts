const TWO_TO_32 = 0x1_0000_0000

/** Writes an integer that a double holds exactly as 64 bits. @returns where the next byte goes */
export function writeSafeInteger(view: DataView, value: number, at: number): number {
  const high = Math.floor(value / TWO_TO_32)
  view.setInt32(at, high)
  view.setUint32(at + 4, value - high * TWO_TO_32)
  return at + 8
}
