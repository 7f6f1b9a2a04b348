// The package types its barrel only; this one file of it loads in 2 ms, the barrel in 100.
declare module "@stellar/stellar-base/lib/strkey.js" {
  export const StrKey: {
    isValidEd25519PublicKey(text: string): boolean
    isValidContract(text: string): boolean
    encodeEd25519PublicKey(bytes: Buffer): string
  }
}
