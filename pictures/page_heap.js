function heapPart() { return null; }
