const TWO_TO_32 = 0x1_0000_0000

/** Writes an integer that a double holds exactly as 64 bits. @returns where the next byte goes */
export function writeSafeInteger(bytes: Buffer, value: number, at: number): number {
  const high = Math.floor(value / TWO_TO_32)
  bytes.writeInt32BE(high, at)
  return bytes.writeUInt32BE(value - high * TWO_TO_32, at + 4)
}
