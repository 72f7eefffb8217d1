module benchmark

go 1.22
